//! Which earlier answer covers a call (contract section 2, "Scoped answers").

use protocol::Timestamp;
use protocol::approvals::{Grant, GrantScope};
use protocol::tools::Risk;

/// Up to which risk a tool may go now: the highest of the grants that are live and reach here. A task's grant reaches
/// the runs of that task only.
pub fn granted_risk(grants: &[Grant], tool: &str, task_id: Option<&str>, now: Timestamp) -> Option<Risk> {
    let reaches = |grant: &&Grant| {
        let is_live = grant.expires_at.is_none_or(|end| now < end);
        let is_here = match grant.scope {
            GrantScope::Timed => true,
            GrantScope::Task => task_id.is_some() && grant.task_id.as_deref() == task_id,
        };
        grant.tool == tool && is_live && is_here
    };
    grants.iter().filter(reaches).map(|grant| grant.risk).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::approvals::Via;

    fn grant(tool: &str, risk: Risk, task: Option<&str>, until: Option<i64>) -> Grant {
        Grant {
            id: "g".into(),
            tool: tool.into(),
            label: String::new(),
            app: String::new(),
            scope: if task.is_some() { GrantScope::Task } else { GrantScope::Timed },
            task_id: task.map(Into::into),
            task_name: None,
            risk,
            via: Via::Desktop,
            created_at: Timestamp(0),
            expires_at: until.map(Timestamp),
        }
    }

    #[test]
    fn a_grant_reaches_its_tool_its_task_and_its_time() {
        let grants = [
            grant("mail", Risk::Write, None, Some(100)),
            grant("mail", Risk::Send, Some("t1"), None),
            grant("note", Risk::Write, Some("t2"), None),
        ];
        for (name, tool, task, now, want) in [
            ("by the clock", "mail", None, 99, Some(Risk::Write)),
            ("over at its moment", "mail", None, 100, None),
            ("the wider of two", "mail", Some("t1"), 99, Some(Risk::Send)),
            ("a task's has no end", "mail", Some("t1"), 1_000, Some(Risk::Send)),
            ("another task", "mail", Some("t2"), 1_000, None),
            ("a chat is no task", "note", None, 0, None),
            ("another tool", "mail_send", Some("t1"), 0, None),
        ] {
            assert_eq!(granted_risk(&grants, tool, task, Timestamp(now)), want, "{name}");
        }
    }
}
