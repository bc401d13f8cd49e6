//! All tools in one list, and the apps they belong to. It offers and names tools; it runs none.

use super::chart_create_url::ChartCreateUrl;
use super::chart_save_image::ChartSaveImage;
use super::current_datetime::CurrentDatetime;
use super::execute_code::ExecuteCode;
use super::file_list::FileList;
use super::file_read::FileRead;
use super::file_write::FileWrite;
use super::maps_directions::MapsDirections;
use super::maps_search_places::MapsSearchPlaces;
use super::news_search::NewsSearch;
use super::news_top_headlines::NewsTopHeadlines;
use super::terminal_run::TerminalRun;
use super::weather_current::WeatherCurrent;
use super::weather_forecast::WeatherForecast;
use super::web_fetch::WebFetch;
use super::web_search::WebSearch;
use super::{Tool, ToolSpec};
use crate::ports::{Charts, Documents, FilesPort, Maps, NewsFeed, Pages, Search, Weather};
use crate::sandbox::Sandbox;
use crate::terminal::Terminal;
use protocol::model::ToolOffer;
use protocol::tools::{PluginInfo, ToolInfo};
use std::collections::HashMap;
use std::sync::Arc;

/// The services the built-in tools use.
#[derive(Clone)]
pub struct Toolbox {
    pub files: Arc<dyn FilesPort>,
    pub documents: Arc<dyn Documents>,
    pub search: Arc<dyn Search>,
    pub pages: Arc<dyn Pages>,
    pub weather: Arc<dyn Weather>,
    pub maps: Arc<dyn Maps>,
    pub news: Arc<dyn NewsFeed>,
    pub charts: Arc<dyn Charts>,
    pub terminal: Arc<Terminal>,
    pub sandbox: Arc<Sandbox>,
}

/// The tools that run programs on this computer.
pub fn computer_tools(terminal: Arc<Terminal>, sandbox: Arc<Sandbox>) -> [Arc<dyn Tool>; 2] {
    [Arc::new(ExecuteCode { sandbox }), Arc::new(TerminalRun { terminal })]
}

/// Every tool there is, in the order models and Settings see them. Cheap to clone.
#[derive(Clone)]
pub struct Registry {
    tools: Arc<[Arc<dyn Tool>]>,
    by_name: Arc<HashMap<&'static str, usize>>,
    /// The app of each tool and what a model is told of it, written once: a schema is some hundred values.
    offers: Arc<[(&'static str, ToolOffer)]>,
    /// Apps that are not built in, as Settings shows them.
    added: Arc<[PluginInfo]>,
}

impl Registry {
    /// The built-in tools over these services.
    pub fn new(toolbox: Toolbox) -> Self {
        Self::of(built_in(toolbox))
    }

    /// A registry of exactly these tools. Of two with one name the first stays.
    pub fn of(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self::with_added(tools, Vec::new())
    }

    /// This registry and one more app behind it. `app` says how a person sees it; its list of tools is filled here.
    #[must_use]
    pub fn with_app(&self, app: PluginInfo, tools: Vec<Arc<dyn Tool>>) -> Self {
        let added = self.added.iter().cloned().chain([PluginInfo { tools: Vec::new(), ..app }]).collect();
        Self::with_added(self.tools.iter().cloned().chain(tools).collect(), added)
    }

    fn with_added(tools: Vec<Arc<dyn Tool>>, added: Vec<PluginInfo>) -> Self {
        let mut by_name = HashMap::new();
        for (at, tool) in tools.iter().enumerate() {
            by_name.entry(tool.spec().name).or_insert(at);
        }
        let offers = tools.iter().map(|tool| offer(&tool.spec())).collect();
        Self { tools: tools.into(), by_name: Arc::new(by_name), offers, added: added.into() }
    }

    pub fn tools(&self) -> &[Arc<dyn Tool>] {
        &self.tools
    }

    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.by_name.get(name).map(|at| self.tools[*at].clone())
    }

    /// What a model is offered: all but the tools and apps named in `disabled` (`tools.disabled`).
    pub fn offers(&self, disabled: &[String]) -> Vec<ToolOffer> {
        let hidden = |name: &str, plugin: &str| disabled.iter().any(|entry| entry == name || entry == plugin);
        let offers =
            self.offers.iter().zip(self.tools.iter()).filter(|(_, tool)| tool.is_offered()).map(|(offer, _)| offer);
        offers.filter(|(plugin, offer)| !hidden(&offer.name, plugin)).map(|(_, offer)| offer.clone()).collect()
    }

    /// `GET /api/tools`: the apps with their tools, disabled ones too, so that Settings can show and change them.
    pub fn plugins(&self) -> Vec<PluginInfo> {
        let mut plugins: Vec<PluginInfo> = Vec::new();
        for spec in self.tools.iter().filter(|tool| tool.is_offered()).map(|tool| tool.spec()) {
            let row =
                ToolInfo { name: spec.name.to_owned(), description: spec.description.to_owned(), risk: spec.risk };
            match plugins.iter_mut().find(|plugin| plugin.id == spec.plugin) {
                Some(plugin) => plugin.tools.push(row),
                None => plugins.push(self.plugin_info(spec.plugin, row)),
            }
        }
        plugins
    }

    /// Ids and names of apps that were connected, not built in.
    pub fn connected_apps(&self) -> impl Iterator<Item = (&str, &str)> {
        let connected = self.added.iter().filter(|app| app.auth != "builtin");
        connected.map(|app| (app.id.as_str(), app.display_name.as_str()))
    }

    /// The name a person knows an app by; the id itself when it is not one of ours.
    pub fn plugin_display_name(&self, id: &str) -> String {
        match self.added.iter().find(|app| app.id == id) {
            Some(added) => added.display_name.clone(),
            None => app(id).map_or(id, |app| app.display_name).to_owned(),
        }
    }

    /// Whether an app is one the person connected, or an MCP server: not a part of Sentient.
    pub fn is_connected_app(&self, id: &str) -> bool {
        self.added.iter().any(|app| app.id == id && app.auth != "builtin")
    }

    fn plugin_info(&self, id: &str, first: ToolInfo) -> PluginInfo {
        match self.added.iter().find(|app| app.id == id) {
            Some(added) => PluginInfo { tools: vec![first], ..added.clone() },
            None => plugin_info(id, first),
        }
    }
}

fn offer(spec: &ToolSpec) -> (&'static str, ToolOffer) {
    let (name, description) = (spec.name.to_owned(), spec.description.to_owned());
    (spec.plugin, ToolOffer { name, description, parameters: spec.parameters.clone() })
}

fn built_in(toolbox: Toolbox) -> Vec<Arc<dyn Tool>> {
    let Toolbox { files, documents, search, pages, weather, maps, news, charts, terminal, sandbox } = toolbox;
    let mut tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(CurrentDatetime),
        Arc::new(FileRead { files: files.clone(), documents }),
        Arc::new(FileWrite { files: files.clone() }),
        Arc::new(FileList { files: files.clone() }),
        Arc::new(WebSearch { search }),
        Arc::new(WebFetch { pages }),
        Arc::new(WeatherCurrent { weather: weather.clone() }),
        Arc::new(WeatherForecast { weather }),
        Arc::new(MapsSearchPlaces { maps: maps.clone() }),
        Arc::new(MapsDirections { maps }),
        Arc::new(NewsSearch { news: news.clone() }),
        Arc::new(NewsTopHeadlines { news }),
        Arc::new(ChartCreateUrl { charts: charts.clone(), files: files.clone() }),
        Arc::new(ChartSaveImage { charts, files }),
    ];
    tools.extend(computer_tools(terminal, sandbox));
    tools
}

/// How an app is shown (contract `integrations.tsv`: names and categories; the rest is ours).
struct App {
    id: &'static str,
    display_name: &'static str,
    description: &'static str,
    category: &'static str,
    icon: &'static str,
    /// Words by which a message is matched with the app.
    selection_hint: &'static str,
}

const APPS: [App; 10] = [
    App {
        id: "time",
        display_name: "Date & time",
        description: "Knows what time and day it is, anywhere.",
        category: "core",
        icon: "clock",
        selection_hint: "time, date, today, tomorrow, weekday, clock, time zone, what time is it in",
    },
    App {
        id: "files",
        display_name: "Files",
        description: "Reads, lists and saves files in the assistant's own folder.",
        category: "core",
        icon: "folder",
        selection_hint: "file, document, attachment, upload, read the file, save as, write to a file, list files",
    },
    App {
        id: "internet_search",
        display_name: "Internet Search",
        description: "Looks things up on the web.",
        category: "knowledge",
        icon: "search",
        selection_hint: "search the web, look up, find online, google, latest, who is, what is, current information",
    },
    App {
        id: "web",
        display_name: "Web Pages",
        description: "Opens a web address and reads its text.",
        category: "knowledge",
        icon: "globe",
        selection_hint: "open this link, read this page, website, article, web address, https, summarise the page",
    },
    App {
        id: "weather",
        display_name: "Weather",
        description: "Tells the weather now and in the coming days.",
        category: "utilities",
        icon: "cloud-sun",
        selection_hint: "weather, forecast, rain, temperature, umbrella, sunny, wind, snow, sunrise, sunset",
    },
    App {
        id: "maps",
        display_name: "Maps",
        description: "Finds places and the way to them.",
        category: "utilities",
        icon: "map",
        selection_hint: "directions, route, how far, how do I get to, near, address, place, restaurant, distance",
    },
    App {
        id: "news",
        display_name: "News",
        description: "Finds headlines and articles.",
        category: "knowledge",
        icon: "newspaper",
        selection_hint: "news, headlines, what happened, latest on, articles about, press, breaking",
    },
    App {
        id: "charts",
        display_name: "Charts",
        description: "Paints charts from numbers, on this computer.",
        category: "utilities",
        icon: "chart",
        selection_hint: "chart, graph, plot, bar chart, pie chart, visualise, diagram of numbers",
    },
    App {
        id: "code",
        display_name: "Code",
        description: "Runs small Python scripts that only look things up, closed off from the rest of this computer.",
        category: "core",
        icon: "code",
        selection_hint: "calculate, compute, script, python, code, csv, table of data, statistics, simulate, convert data",
    },
    App {
        id: "terminal",
        display_name: "Terminal",
        description: "Runs commands on this computer, in folders you choose.",
        category: "core",
        icon: "terminal",
        selection_hint: "terminal, command line, shell, run the command, git, build, compile, npm, cargo, run the tests",
    },
];

fn app(id: &str) -> Option<&'static App> {
    APPS.iter().find(|app| app.id == id)
}

fn plugin_info(id: &str, first: ToolInfo) -> PluginInfo {
    let text = |get: fn(&App) -> &'static str, otherwise: &str| app(id).map_or(otherwise, get).to_owned();
    PluginInfo {
        id: id.to_owned(),
        display_name: text(|app| app.display_name, id),
        description: text(|app| app.description, ""),
        category: text(|app| app.category, "core"),
        icon: text(|app| app.icon, "tool"),
        auth: "builtin".to_owned(),
        selection_hint: text(|app| app.selection_hint, ""),
        tools: vec![first],
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes;
    use super::*;
    use protocol::tools::Risk;
    use serde_json::Value;

    /// Name, app, risk and whether the result may hold words of others, as `contract/tools.tsv` has them.
    const CONTRACT: [(&str, &str, Risk, bool); 16] = [
        ("current_datetime", "time", Risk::Read, false),
        ("file_read", "files", Risk::Read, false),
        ("file_write", "files", Risk::Write, false),
        ("file_list", "files", Risk::Read, false),
        ("web_search", "internet_search", Risk::Read, true),
        ("web_fetch", "web", Risk::Read, true),
        ("weather_current", "weather", Risk::Read, false),
        ("weather_forecast", "weather", Risk::Read, false),
        ("maps_search_places", "maps", Risk::Read, true),
        ("maps_directions", "maps", Risk::Read, true),
        ("news_search", "news", Risk::Read, true),
        ("news_top_headlines", "news", Risk::Read, true),
        ("chart_create_url", "charts", Risk::Read, false),
        ("chart_save_image", "charts", Risk::Write, false),
        ("execute_code", "code", Risk::Exec, true),
        ("terminal_run", "terminal", Risk::Exec, true),
    ];

    fn registry() -> Registry {
        Registry::new(fakes::toolbox())
    }

    #[test]
    fn the_tools_are_those_of_the_contract() {
        let got: Vec<_> = registry().tools().iter().map(|tool| tool.spec()).collect();
        let got: Vec<_> = got.iter().map(|s| (s.name, s.plugin, s.risk, s.untrusted_output)).collect();
        assert_eq!(got, CONTRACT);
        for tool in registry().tools() {
            let spec = tool.spec();
            assert_eq!((spec.internal, spec.allow_for_chat), (false, spec.name != "terminal_run"), "{}", spec.name);
            assert_eq!(tool.url(&serde_json::json!({"url": "https://a.example"})).is_some(), spec.name == "web_fetch");
            assert!(!tool.exfiltrates(&Value::Null), "{}", spec.name);
            assert_eq!(tool.risk(&Value::Null).is_some(), spec.name == "terminal_run", "{}", spec.name);
        }
    }

    #[test]
    fn every_schema_is_closed_and_explains_each_argument() {
        for tool in registry().tools() {
            let spec = tool.spec();
            let schema = &spec.parameters;
            assert_eq!(schema["type"], "object", "{}", spec.name);
            assert_eq!(schema["additionalProperties"], false, "{}", spec.name);
            let properties = schema["properties"].as_object().unwrap();
            for (name, property) in properties {
                assert!(property["description"].as_str().is_some_and(|text| text.len() > 8), "{} {name}", spec.name);
                assert!(property["type"].is_string() || property["type"].is_array(), "{} {name}", spec.name);
            }
            for name in schema["required"].as_array().unwrap() {
                assert!(properties.contains_key(name.as_str().unwrap()), "{} {name}", spec.name);
            }
        }
    }

    #[test]
    fn an_added_app_is_listed_under_its_own_name() {
        let app = PluginInfo { display_name: "Postbox".into(), ..plugin_info("postbox", tool_row("unused")) };
        let time: Vec<Arc<dyn Tool>> = vec![Arc::new(CurrentDatetime)];
        let registry = Registry::of(Vec::new()).with_app(PluginInfo { id: "time".into(), ..app }, time);
        assert_eq!(registry.plugin_display_name("time"), "Postbox");
        let listed = registry.plugins();
        assert_eq!((listed[0].display_name.as_str(), listed[0].tools.len()), ("Postbox", 1));
        assert!(registry.get("current_datetime").is_some() && registry.offers(&[]).len() == 1);
    }

    fn tool_row(name: &str) -> ToolInfo {
        ToolInfo { name: name.into(), description: String::new(), risk: Risk::Read }
    }

    #[test]
    fn disabled_tools_and_apps_are_not_offered_but_listed() {
        let registry = registry();
        let disabled = ["web".to_owned(), "file_write".to_owned(), "nobody".to_owned()];
        let offered: Vec<String> = registry.offers(&disabled).into_iter().map(|offer| offer.name).collect();
        assert_eq!(offered.len(), 14);
        assert!(!offered.iter().any(|name| name == "web_fetch" || name == "file_write"), "{offered:?}");
        assert_eq!(registry.offers(&[]).len(), 16);
        let listed: usize = registry.plugins().iter().map(|plugin| plugin.tools.len()).sum();
        assert_eq!(listed, 16);
    }

    #[test]
    fn apps_have_names_people_know() {
        let registry = registry();
        let names: Vec<_> = registry.plugins().into_iter().map(|plugin| (plugin.id, plugin.display_name)).collect();
        let want = [
            ("time", "Date & time"),
            ("files", "Files"),
            ("internet_search", "Internet Search"),
            ("web", "Web Pages"),
            ("weather", "Weather"),
            ("maps", "Maps"),
            ("news", "News"),
            ("charts", "Charts"),
            ("code", "Code"),
            ("terminal", "Terminal"),
        ];
        assert_eq!(names, want.map(|(id, name)| (id.to_owned(), name.to_owned())));
        assert_eq!(registry.plugin_display_name("web"), "Web Pages");
        assert_eq!(registry.plugin_display_name("mcp_x"), "mcp_x");
        for plugin in registry.plugins() {
            assert!(!plugin.selection_hint.is_empty() && !plugin.description.is_empty(), "{}", plugin.id);
        }
    }

    #[test]
    fn a_tool_is_found_by_its_name_only() {
        let registry = registry();
        assert_eq!(registry.get("web_fetch").map(|tool| tool.spec().plugin), Some("web"));
        for name in ["", "web", "WEB_FETCH", "time_sleep"] {
            assert!(registry.get(name).is_none(), "{name}");
        }
    }
}
