import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { useLayoutEffect, useRef } from "preact/hooks";
import { showPlain } from "../visible-text.ts";

const INLINE = ["b", "strong", "i", "em", "code", "del", "s", "a", "br", "span"];
const BLOCKS = [...INLINE, ..."p ul ol li h1 h2 h3 h4 h5 h6 blockquote pre hr table thead tbody tr th td".split(" ")];

// Markup that stands in a text is text: an inspector shows what is there. Pictures are not fetched from anywhere.
const markdown = new MarkdownIt({ html: false, linkify: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.renderer.rules["image"] = (tokens, at) => {
  const { content = "", attrs } = tokens[at] ?? {};
  return markdown.utils.escapeHtml(`![${content}](${attrs?.find(([name]) => name === "src")?.[1] ?? ""})`);
};

/** A text as it is, in its own direction; nothing of it is markup. */
export function Plain({ text, as: Tag = "span" }: { text: string; as?: "span" | "p" | "pre" | "q" }) {
  return <Tag dir="auto">{showPlain(text)}</Tag>;
}

/** A fact's words: emphasis, code and links of its Markdown, and nothing else. */
export function Words({ text }: { text: string }) {
  return <Sanitised html={markdown.renderInline(showPlain(text))} tags={INLINE} isInline />;
}

/** A page of Markdown. */
export function Page({ text }: { text: string }) {
  return <Sanitised html={markdown.render(showPlain(text))} tags={BLOCKS} />;
}

function Sanitised({ html, tags, isInline = false }: { html: string; tags: string[]; isInline?: boolean }) {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const fragment = DOMPurify.sanitize(html, {
      ALLOWED_TAGS: tags,
      ALLOWED_ATTR: ["href", "start"],
      ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
      ALLOW_DATA_ATTR: false,
      ALLOW_ARIA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    });
    for (const link of fragment.querySelectorAll("a")) {
      link.rel = "noopener noreferrer nofollow";
      link.target = "_blank";
    }
    for (const block of fragment.querySelectorAll("p,li,h1,h2,h3,h4,h5,h6,td,th,pre"))
      block.setAttribute("dir", "auto");
    place.current?.replaceChildren(fragment);
  }, [html]);
  const keep = (element: HTMLElement | null): void => {
    place.current = element;
  };
  return isInline ? <span dir="auto" class="words" ref={keep} /> : <div dir="auto" class="prose" ref={keep} />;
}
