//! The handouts' Markdown as HTML.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

/// Where a link leads; `None`: only its text is shown.
pub(super) type Link<'l> = dyn Fn(&str) -> Option<String> + 'l;

/// A text as HTML.
pub(super) fn html(text: &str, link: &Link<'_>) -> String {
    let mut out = String::new();
    push_html(&mut out, events(text, link));
    out
}

/// A text of one paragraph or heading as HTML, without the paragraph's tags.
pub(super) fn inline(text: &str, link: &Link<'_>) -> String {
    let paragraph =
        |event: &Event<'_>| matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph));
    let mut out = String::new();
    push_html(&mut out, events(text, link).filter(|event| !paragraph(event)));
    out
}

/// The parts of a text. `link` decides where links lead; a picture becomes its text; a wide
/// table can be scrolled; HTML is passed through.
fn events<'t>(text: &'t str, link: &'t Link<'_>) -> impl Iterator<Item = Event<'t>> {
    let mut led = Vec::new();
    Parser::new_ext(text, Options::ENABLE_TABLES).flat_map(move |event| match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let place = link(&dest_url);
            led.push(place.is_some());
            let dest_url = place.map(Into::into);
            dest_url
                .map(|dest_url| Event::Start(Tag::Link { link_type, dest_url, title, id }))
                .into_iter()
                .collect()
        }
        Event::End(TagEnd::Link) if led.pop() != Some(true) => vec![],
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => vec![],
        Event::Start(Tag::Table(_)) => {
            vec![Event::Html("<div class=\"wide\" tabindex=\"0\">".into()), event]
        }
        Event::End(TagEnd::Table) => vec![event, Event::Html("</div>\n".into())],
        Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
        event => vec![event],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> String {
        html(text, &|target| (target == "../cm1").then(|| "#cm1".to_owned()))
    }

    #[test]
    fn links_lead_where_they_can_and_pictures_are_text() {
        assert_eq!(made("[cm1](../cm1) [x](no) ![p](c.svg)"), "<p><a href=\"#cm1\">cm1</a> x p</p>\n");
        assert_eq!(inline("a `b` [*x*](no)", &|_| None), "a <code>b</code> <em>x</em>");
    }

    #[test]
    fn html_passes_unchanged() {
        assert_eq!(made("a <b>c</b> < d"), "<p>a &lt;b&gt;c&lt;/b&gt; &lt; d</p>\n");
    }

    #[test]
    fn tables_are_framed() {
        let table = made("| a | b |\n|---|---|\n| `x\\|y` | z\\|w |\n");
        assert!(table.starts_with("<div class=\"wide\" tabindex=\"0\"><table>"), "{table}");
        assert!(
            table.contains("<td><code>x|y</code></td><td>z|w</td>") && table.ends_with("</table>\n</div>\n")
        );
    }
}
