//! Other programs as callers: the shapes of `/api/mcp/*` (contract section 5, "Sentient as an MCP server").

use serde::{Deserialize, Serialize};

/// `GET /api/mcp/status`: what an MCP app may do right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpStatus {
    /// `integrations.mcp_server_enabled`.
    pub enabled: bool,
    /// `integrations.mcp_server_memories_skip_review`.
    pub memories_skip_review: bool,
    pub token_issued: bool,
}

/// `GET /api/mcp/proof`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpProof {
    /// HMAC-SHA256 of `nonce:host:port` under the token, in hexadecimal digits.
    pub proof: String,
}
