//! Reads what a pull request says: the issue that it fixes, and its title.

pub struct Body {
    pub issue: Option<u32>,
    pub lines: usize,
}

#[inline(never)]
pub fn find_issue(chars: &[char], word: &str) -> Option<usize> {
    let word: Vec<char> = word.chars().collect();
    chars.windows(word.len()).position(|window| window == word).map(|at| at + word.len())
}

#[inline(never)]
pub fn parse_issue_fixed(body: &str) -> Option<u32> {
    let chars: Vec<char> = body.chars().collect();
    let words = ["fixes #", "closes #", "resolves #"];
    let start = words.iter().find_map(|word| find_issue(&chars, word))?;
    let digits: String = chars[start..].iter().take_while(|c| c.is_ascii_digit()).collect();
    digits.parse().ok()
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
