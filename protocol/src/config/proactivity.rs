//! `proactivity`: suggestions nobody asked for, follow-ups and the daily briefs.

use super::section::{choice, section};
use crate::model::ModelRole;

choice! {
    /// The model role that weighs events.
    pub enum ReasonerRole { Fast, Primary, }
}

impl ReasonerRole {
    /// The same as a model role.
    pub fn model_role(self) -> ModelRole {
        match self {
            Self::Fast => ModelRole::Fast,
            Self::Primary => ModelRole::Primary,
        }
    }
}

choice! {
    /// Email accounts whose waiting answers are looked for.
    pub enum FollowupSource { Gmail, EmailImap, }
}

choice! {
    /// A part of the morning brief.
    pub enum BriefSection { Calendar, Email, Tasks, Weather, News, }
}

choice! {
    /// A part of the evening brief.
    pub enum EveningSection { Done, Sent, Files, Waiting, Tomorrow, }
}

section! {
    /// Emails that wait for an answer, yours or theirs.
    pub struct Followups {
        /// Look once a day for emails that wait for an answer. Off while `proactivity.enabled` is off.
        pub enabled: bool = true,
        /// Email accounts to look in.
        pub sources: Vec<FollowupSource> = vec![FollowupSource::Gmail, FollowupSource::EmailImap],
        /// Days after which an email waits for your answer.
        #[schemars(range(min = 1, max = 60))]
        pub waiting_on_you_days: u32 = 3,
        /// Days after which your email waits for theirs.
        #[schemars(range(min = 1, max = 60))]
        pub waiting_on_them_days: u32 = 4,
        /// Emails older than this many days are left alone.
        #[schemars(range(min = 2, max = 180))]
        pub max_age_days: u32 = 21,
        /// How many suggestions one look may make.
        #[schemars(range(min = 1, max = 20))]
        pub max_suggestions: u32 = 3,
    }
}

section! {
    /// The morning and evening briefs.
    pub struct Brief {
        /// Let the fast model shorten the lines about unread emails.
        pub summarize_emails: bool = true,
        /// Topics for headlines, up to five.
        #[schemars(length(max = 5))]
        pub news_topics: Vec<String> = Vec::new(),
        /// Parts of the morning brief. News needs topics.
        pub sections: Vec<BriefSection> =
            vec![BriefSection::Calendar, BriefSection::Email, BriefSection::Tasks, BriefSection::Weather],
        /// Parts of the evening brief.
        pub evening_sections: Vec<EveningSection> = vec![
            EveningSection::Done,
            EveningSection::Sent,
            EveningSection::Files,
            EveningSection::Waiting,
            EveningSection::Tomorrow,
        ],
        /// How many lines a brief may have.
        #[schemars(range(min = 1, max = 20))]
        pub max_items: u32 = 7,
    }
}

section! {
    /// Suggestions nobody asked for, follow-ups and the daily briefs.
    pub struct Proactivity {
        /// Hours in which suggestions are held back, as `22:00-07:00` in your time. Empty: none.
        #[schemars(extend("format" = "clock-range"))]
        pub quiet_hours: String = String::new(),
        /// Hours after which a suggestion nobody answered goes away.
        #[schemars(range(min = 1, max = 720))]
        pub suggestion_ttl_hours: u32 = 48,
        /// Minutes between looks at calendar and tasks of its own accord. 0: never.
        #[schemars(range(min = 0))]
        pub heartbeat_minutes: u32 = 0,
        /// How many suggestions a day those looks may make.
        #[schemars(range(min = 1, max = 24))]
        pub heartbeat_daily_cap: u32 = 3,
        /// Connected apps that are watched.
        pub sources: Vec<String> = vec!["gmail".into(), "gcalendar".into()],
        /// Watch connected apps and make suggestions.
        pub enabled: bool = true,
        /// Minutes between looks into apps without a live feed.
        #[schemars(range(min = 1))]
        pub poll_interval_minutes: u32 = 10,
        /// Model role that decides whether something deserves a suggestion.
        pub reasoner_role: ReasonerRole = ReasonerRole::Fast,
        /// Rounds of look-ups before that decision. 0: none.
        #[schemars(range(min = 0, max = 10))]
        pub context_agent_rounds: u32 = 3,
        /// Hours to look back when an app is watched for the first time.
        #[schemars(range(min = 0, max = 168))]
        pub first_poll_lookback_hours: u32 = 6,
        /// How many new items of one app are looked at in one go.
        #[schemars(range(min = 1, max = 200))]
        pub max_items_per_poll: u32 = 20,
        /// Make suggestions from webhooks too.
        pub webhook_suggestions: bool = true,
        /// Emails that wait for an answer, yours or theirs.
        pub followups: Followups = Followups::default(),
        /// How sure a suggestion must be before what you accept and dismiss moves the bar, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub base_confidence_threshold: f64 = 0.7,
        /// The morning and evening briefs.
        pub brief: Brief = Brief::default(),
    }
}
