//! Reads what a pull request says: the issue that it fixes, and its title.

pub struct Body {
    pub issue: Option<u32>,
    pub lines: usize,
}

#[inline(never)]
pub fn parse_issue_fixed(body: &str) -> Option<u32> {
    let start = body.find("fixes #")? + "fixes #".len();
    let digits = body[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len() - start);
    body[start..start + digits].parse().ok()
}

#[inline(never)]
pub fn parse_body(body: &str) -> Body {
    Body { issue: parse_issue_fixed(body), lines: body.lines().count() }
}

#[inline(never)]
pub fn prepare_parsing_body(body: &str) -> Body {
    let lines: Vec<String> = body.lines().map(|line| line.trim().to_lowercase()).collect();
    parse_body(&lines.join("\n"))
}

#[inline(never)]
pub fn parse_title(title: &str) -> (String, String) {
    let (kind, text) = title.split_once(": ").unwrap_or(("", title));
    (kind.to_string(), text.to_string())
}

#[inline(never)]
pub fn parse_pr(title: &str, body: &str) -> ((String, String), Body) {
    (parse_title(title), prepare_parsing_body(body))
}
