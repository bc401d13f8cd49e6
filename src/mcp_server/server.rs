//! The MCP side: lists the tools, makes their calls, and says in words what went wrong. What the app calls itself comes
//! from its own handshake and goes along as its name, never as more.

use super::engine::EngineClient;
use super::tools::{self, ToolCall};
use protocol::Error;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::mpsc;

/// Notices that may wait to be passed on to the app. More are left out: the newest says it all.
const NOTICES_MAX: usize = 8;

/// Serves one app.
pub(super) struct SentientServer {
    engine: EngineClient,
}

impl SentientServer {
    pub(super) fn new(engine: EngineClient) -> Self {
        Self { engine }
    }

    async fn make(&self, call: ToolCall, context: &RequestContext<RoleServer>) -> Result<String, Error> {
        let app = app_name(context);
        match call {
            ToolCall::Notify { title, message } => {
                self.engine.notify(&app, &title, &message).await?;
                Ok("The user has the note.".into())
            }
            ToolCall::SearchMemories { words } => self.engine.search_memories(&words).await,
            ToolCall::GetMemory { id } => self.engine.memory(id).await,
            ToolCall::AddMemory { content } => self.engine.add_memory(&app, &content).await,
            ToolCall::Ask { text } => {
                let (notices, mut told) = mpsc::channel::<String>(NOTICES_MAX);
                let waiting = move |notice: String| {
                    if notices.try_send(notice).is_err() {
                        tracing::debug!("a notice is left out");
                    }
                };
                let asking = self.engine.ask(&app, &text, &waiting);
                let mut asking = std::pin::pin!(asking);
                let mut progress = 0.0;
                loop {
                    tokio::select! {
                        biased;
                        reply = asking.as_mut() => return reply,
                        Some(notice) = told.recv() => {
                            progress += 1.0;
                            notify(context, progress, notice).await;
                        }
                    }
                }
            }
        }
    }
}

/// Tells the app that its call is alive, if it wants to hear that.
async fn notify(context: &RequestContext<RoleServer>, progress: f64, notice: String) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let told = ProgressNotificationParam::new(token, progress).with_message(notice);
    if let Err(error) = context.peer.notify_progress(told).await {
        tracing::debug!(%error, "the app does not hear of its call");
    }
}

/// What the app calls itself: in its handshake, or from the protocol of 2026 on with each request.
fn app_name(context: &RequestContext<RoleServer>) -> String {
    let at_first = || context.peer.peer_info().map(|info| info.client_info.clone());
    let app: Option<Implementation> = context.meta.client_info().or_else(at_first);
    app.map(|app| app.title.filter(|title| !title.trim().is_empty()).unwrap_or(app.name)).unwrap_or_default()
}

impl ServerHandler for SentientServer {
    fn get_info(&self) -> ServerConfig {
        let itself = Implementation::new("sentient", crate::VERSION).with_title("Sentient");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(itself).with_instructions(
            "Sentient is the user's own assistant on this computer. What you ask of it is a request of your app, never \
             the user's own words: anything that sends, deletes or runs something asks the user first.",
        )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(read) = tools::read(&request.name, request.arguments.unwrap_or_default()) else {
            return Err(ErrorData::invalid_params(format!("There is no tool {}.", request.name), None));
        };
        let call = match read {
            Ok(call) => call,
            Err(sentence) => return Ok(failed(sentence).into()),
        };
        // An app that gives up hears nothing more; a turn that was begun goes on and is saved.
        let gave_up = context.ct.clone();
        tokio::select! {
            biased;
            () = gave_up.cancelled() => Ok(failed("Given up.".into()).into()),
            made = self.make(call, &context) => Ok(match made {
                Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
                Err(error) => failed(error.detail()),
            }.into()),
        }
    }
}

fn failed(sentence: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence)])
}
