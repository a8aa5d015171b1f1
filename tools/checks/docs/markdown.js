const FENCE = /^\s*(`{3,}|~{3,})\s*(.*)$/;

/**
 * What a Markdown file holds that can be checked: its links, its code spans, its fenced blocks and its anchors. Lines are
 * counted from 1. Nothing inside a fenced block counts as a link or a code span.
 */
export function readMarkdown(text) {
  const document = { links: [], codeSpans: [], fences: [], anchors: new Set() };
  let fence = null;
  text.split('\n').forEach((line, index) => {
    const mark = FENCE.exec(line);
    if (fence !== null) {
      if (mark !== null && mark[1].startsWith(fence.mark) && mark[2] === '') fence = null;
      else fence.lines.push(line);
    } else if (mark !== null) {
      fence = { mark: mark[1], info: mark[2].trim(), line: index + 1, lines: [] };
      document.fences.push(fence);
    } else readProse(document, line, index + 1);
  });
  return document;
}

function readProse(document, line, number) {
  const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
  if (heading !== null) addAnchor(document.anchors, heading[1]);
  for (const [, span] of line.matchAll(/`([^`]+)`/g)) document.codeSpans.push({ text: span, line: number });
  const withoutCode = line.replace(/`[^`]*`/g, '');
  for (const [, target] of withoutCode.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)) {
    document.links.push({ target, line: number });
  }
}

/** The anchor that GitHub gives a heading; a second one of the same text gets a number. */
function addAnchor(anchors, heading) {
  const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  let anchor = slug;
  for (let copy = 1; anchors.has(anchor); copy += 1) anchor = `${slug}-${copy}`;
  anchors.add(anchor);
}
