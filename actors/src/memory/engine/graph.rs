//! Memories as a graph: which of them mean nearly the same.

use super::list::Wanted;
use crate::Engine;
use crate::memory::{facts::shown, searched};
use protocol::Error;
use protocol::memory::Memory;
use protocol::memory_requests::{
    GRAPH_LABEL_CHARS, GRAPH_NODES_MAX, GraphLink, GraphNode, MemoryGraph, MemoryQuery, StateFilter,
};
use storage::records::FactRecord;

impl Engine {
    /// `GET /api/memories/graph`: the newest current memories, at most [`GRAPH_NODES_MAX`].
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn memory_graph(&self) -> Result<MemoryGraph, Error> {
        let query = MemoryQuery { state: StateFilter::Current, ..MemoryQuery::default() };
        let wanted = Wanted::new(&query, self.world.now());
        let link_from = self.config().memory.graph_link_similarity;
        let space = self.memories.embeddings.state().space;
        self.reading(move |snapshot| {
            let mut facts = Vec::new();
            for fact in snapshot.all::<FactRecord>()?.rev() {
                let fact = fact?;
                if wanted.holds(&fact) {
                    facts.push(fact);
                    if facts.len() == GRAPH_NODES_MAX {
                        break;
                    }
                }
            }
            let vectors = searched::vectors(snapshot, &space, &facts)?;
            Ok(MemoryGraph { nodes: facts.iter().map(node).collect(), links: links(&vectors, link_from) })
        })
        .await
    }
}

fn node(fact: &FactRecord) -> GraphNode {
    let Memory { id, content, topics, memory_type, source, created_at, .. } = shown(fact);
    let label = content.chars().take(GRAPH_LABEL_CHARS).collect();
    GraphNode { id, label, title: content.clone(), content, topics, memory_type, source, created_at }
}

/// Every pair at least so near. Vectors have length one, so their product is the cosine.
fn links(vectors: &[(u64, Vec<f32>)], at_least: f64) -> Vec<GraphLink> {
    let mut links = Vec::new();
    for (place, (source, one)) in vectors.iter().enumerate() {
        for (target, other) in &vectors[place + 1..] {
            let cosine: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
            if f64::from(cosine) >= at_least {
                let value = (f64::from(cosine).min(1.0) * 10_000.0).round() / 10_000.0;
                links.push(GraphLink { source: *source, target: *target, value });
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_memories_are_linked_once() {
        let vectors = [(1, vec![1.0, 0.0]), (2, vec![0.6, 0.8]), (3, vec![0.8, 0.6]), (4, Vec::new())];
        let found: Vec<_> =
            links(&vectors, 0.8).into_iter().map(|link| (link.source, link.target, link.value)).collect();
        assert_eq!(found, [(1, 3, 0.8), (2, 3, 0.96)]);
        assert!(links(&vectors, 0.99).is_empty());
    }

    #[test]
    fn a_label_is_cut_between_letters() {
        let fact = crate::memory::test_kit::fact(1, "माया पुणे में रहती है और उसे चाय पसंद है");
        let node = node(&fact);
        assert_eq!(node.label.chars().count(), GRAPH_LABEL_CHARS);
        assert_eq!((node.title.as_str(), node.content.as_str()), (fact.content.as_str(), fact.content.as_str()));
    }
}
