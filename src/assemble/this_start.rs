//! A model for this start only (`serve --model`): it is in force, and never written into the settings.

use crate::config_file::ConfigFile;
use actors::ports::ConfigStore;
use protocol::config::Config;
use protocol::model::ModelName;
use protocol::{Error, ErrorKind};

/// The settings file, with what this start puts over it.
pub(super) struct ThisStart<F = ConfigFile> {
    file: F,
    over: Option<Over>,
}

/// The model of this start, and the ones the settings name.
struct Over {
    model: ModelName,
    primary: ModelName,
    fast: ModelName,
}

impl<F: ConfigStore> ThisStart<F> {
    /// Puts `model` over the configured models of `config`.
    ///
    /// # Errors
    /// `model` is not `provider/model`.
    pub(super) fn new(file: F, config: &mut Config, model: Option<&str>) -> Result<Self, Error> {
        let over = match model {
            None => None,
            Some(text) => {
                let model = ModelName::parse(text).ok_or_else(|| {
                    Error::new(ErrorKind::Unprocessable, format!("\"{text}\" is not a model."))
                        .hint("Write it as provider/model, for example ollama_chat/qwen3:8b or scripted/tour.")
                })?;
                let roles = &mut config.models.roles;
                let primary = std::mem::replace(&mut roles.primary, model.clone());
                let fast = std::mem::replace(&mut roles.fast, model.clone());
                Some(Over { model, primary, fast })
            }
        };
        Ok(Self { file, over })
    }
}

impl<F: ConfigStore> ConfigStore for ThisStart<F> {
    /// Saves what was set; a role that still has the model of this start keeps what the settings named.
    fn save(&self, config: &Config) -> Result<(), Error> {
        let mut config = config.clone();
        if let Some(over) = &self.over {
            let roles = &mut config.models.roles;
            if roles.primary == over.model {
                roles.primary = over.primary.clone();
            }
            if roles.fast == over.model {
                roles.fast = over.fast.clone();
            }
        }
        self.file.save(&config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Saved(Arc<Mutex<Option<Config>>>);

    impl ConfigStore for Saved {
        fn save(&self, config: &Config) -> Result<(), Error> {
            *self.0.lock().expect("no panic") = Some(config.clone());
            Ok(())
        }
    }

    #[test]
    fn the_model_of_one_start_is_not_kept() {
        let (saved, mut config) = (Saved::default(), Config::default());
        let configured = config.models.roles.clone();
        let file = ThisStart::new(saved.clone(), &mut config, Some("scripted/tour")).expect("a model");
        assert_eq!(config.models.roles.primary.as_str(), "scripted/tour");
        config.assistant.user_name = "Maya".into();
        config.models.roles.fast = ModelName("openai/gpt-5-mini".into()); // set by the person meanwhile
        file.save(&config).expect("saved");
        let kept = saved.0.lock().expect("no panic").clone().expect("saved");
        assert_eq!(kept.models.roles.primary, configured.primary);
        assert_eq!(kept.models.roles.fast.as_str(), "openai/gpt-5-mini");
        assert_eq!(kept.assistant.user_name, "Maya");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        assert!(ThisStart::new(Saved::default(), &mut Config::default(), Some("qwen")).is_err());
    }
}
