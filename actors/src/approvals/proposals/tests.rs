//! The role over a real settings role, with a store that outlives it.

use super::*;
use crate::config::{Needs, readers};
use crate::fixtures::{outside, running, world};
use crate::ports::ConfigStore;
use crate::tools::fakes;
use protocol::ErrorKind;
use protocol::approvals::Via;
use protocol::config::{Config, RuleSource};
use protocol::rule_proposals::ProposalDecision;
use rules::chat_rules::Proposal;

struct Unsaved;

impl ConfigStore for Unsaved {
    fn save(&self, _: &Config) -> Result<(), Error> {
        Ok(())
    }
}

struct Bench {
    role: Address<Proposals>,
    list: HeldList,
    config: crate::config::ConfigReader,
    store: Store,
}

async fn bench(store: Store) -> Bench {
    let (world, _) = world(1_000);
    let (current, config) = readers(Config::default());
    let needs = Needs { file: Arc::new(Unsaved), current, publish: Arc::new(|_| ()) };
    let settings = running::<ConfigRole>(&world, needs).await;
    let list = Arc::new(watch::Sender::new(Arc::new(stored(&store).expect("rows"))));
    let reader = list.subscribe();
    let tools = Arc::new(Registry::new(fakes::toolbox()));
    let needs = ProposalsNeeds { store: store.clone(), list, settings, tools };
    let role = running::<Proposals>(&world, needs).await;
    Bench { role, list: reader, config, store }
}

fn found(rule: Rule, key: &str) -> Found {
    let proposal = Proposal { rule, keys: vec![key.into()], said: "Never write files".into() };
    Found { session: "s1".into(), message: "m1".into(), proposals: vec![proposal] }
}

impl Bench {
    fn held(&self, tool: &str, plugin: &str) -> bool {
        is_held(&self.list.borrow(), &"s1".into(), tool, plugin)
    }

    async fn weigh(&self) -> WeighId {
        let weigh = Weigh { session: "s1".into(), keys: vec!["file_write".into(), "file_read".into()] };
        self.role.ask(&outside(), weigh).await.expect("begun")
    }

    async fn settle(&self, check: WeighId, found: Option<Found>) {
        self.role.ask(&outside(), Settle { check, found }).await.expect("ended");
    }

    fn only(&self) -> RuleProposalRecord {
        let rows = self.store.snapshot().expect("a snapshot");
        let mut rows = rows.all::<RuleProposalRecord>().expect("rows");
        rows.next().expect("one").expect("readable")
    }

    async fn decide(&self, decision: ProposalDecision) -> Result<RuleProposal, Error> {
        self.role.ask(&outside(), Decide { id: self.only().id, decision, via: Via::Telegram }).await
    }
}

#[tokio::test]
async fn what_is_weighed_asks_until_the_check_ends() {
    let bench = bench(Store::in_memory()).await;
    let (first, second) = (bench.weigh().await, bench.weigh().await);
    assert!(bench.held("file_read", "files") && !bench.held("file_list", "files"));
    bench.settle(first, None).await;
    assert!(bench.held("file_read", "files"), "the other check still weighs it");
    bench.settle(second, Some(found(Rule::Never, "file_write"))).await;
    assert!(bench.held("file_write", "files") && !bench.held("file_read", "files"));
    assert!(!is_held(&bench.list.borrow(), &"s2".into(), "file_write", "files"), "another chat");
}

#[tokio::test]
async fn a_proposal_outlives_a_restart_and_is_decided_once() {
    let first = bench(Store::in_memory()).await;
    let check = first.weigh().await;
    first.settle(check, Some(found(Rule::Never, "files"))).await;
    let bench = bench(first.store.clone()).await;
    assert!(bench.held("file_write", "files"), "it holds all of the app");
    let shown = bench.decide(ProposalDecision::Accept).await.expect("accepted");
    assert_eq!((shown.status, shown.decided_at), (ProposalStatus::Accepted, Some(Timestamp(1_000))));
    assert_eq!((shown.targets[0].label.as_str(), shown.targets[0].tool.as_deref()), ("Files", None));
    let config = bench.config.borrow().clone();
    assert_eq!(config.tools.approvals.rules.get("files"), Some(&ApprovalRule::Never));
    let origin = &config.tools.approvals.rule_origins["files"];
    assert_eq!((origin.source, origin.via.as_deref()), (Some(RuleSource::Chat), Some("telegram")));
    assert_eq!(origin.said.as_deref(), Some("Never write files"));
    assert!(!bench.held("file_write", "files"));
    let again = bench.decide(ProposalDecision::Decline).await.expect_err("answered");
    assert_eq!(again.kind, ErrorKind::Conflict);
    let unknown = Decide { id: "nobody".into(), decision: ProposalDecision::Accept, via: Via::Desktop };
    assert_eq!(bench.role.ask(&outside(), unknown).await.expect_err("unknown").kind, ErrorKind::NotFound);
    let events: Vec<String> =
        bench.store.events_since(0, 100).expect("events").into_iter().map(|event| event.kind).collect();
    assert_eq!(events, ["rule_proposal.updated", "rule_proposal.updated"]);
}

#[tokio::test]
async fn declining_saves_nothing_and_ends_the_questions() {
    let bench = bench(Store::in_memory()).await;
    let check = bench.weigh().await;
    bench.settle(check, Some(found(Rule::Ask, "file_write"))).await;
    let shown = bench.decide(ProposalDecision::Decline).await.expect("declined");
    assert_eq!((shown.status, shown.targets[0].label.as_str()), (ProposalStatus::Declined, "Files > File write"));
    assert!(bench.config.borrow().tools.approvals.rules.is_empty() && !bench.held("file_write", "files"));
}

#[tokio::test]
async fn there_is_a_limit_to_cards() {
    let bench = bench(Store::in_memory()).await;
    for _ in 0..=PENDING_PER_CHAT_MAX {
        let check = bench.weigh().await;
        bench.settle(check, Some(found(Rule::Ask, "file_write"))).await;
    }
    assert_eq!(bench.list.borrow().len(), PENDING_PER_CHAT_MAX);
    bench.role.ask(&outside(), ForgetChat("s1".into())).await.expect("forgotten");
    assert!(bench.list.borrow().is_empty());
}
