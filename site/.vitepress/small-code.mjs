/** Code blocks in few bytes: classes of `theme/code.css` in place of a style for each word, and nothing for words and lines that look like all others. */
import { readFileSync } from 'node:fs';

const css = readFileSync(new URL('theme/code.css', import.meta.url), 'utf8');
const colours = (of) => /#\w{6}/.exec(of)?.[0];
const usual = [...css.matchAll(/--vp-code-block-color: [^;]+/g)].map(([text]) => colours(text)).join();
const classes = new Map(
  [...css.matchAll(/\.(k\d+) \{\s*--shiki-light: (#\w{6});\s*--shiki-dark: (#\w{6});/g)].map(
    ([, name, light, dark]) => [`${light},${dark}`, name],
  ),
);

/** A transformer of Shiki. What has another colour keeps its own style. */
export const smallCode = {
  name: 'small-code',
  postprocess: (html) =>
    html
      .replace(
        /<span style="--shiki-light:(#\w{6});--shiki-dark:(#\w{6});?">([^<]*)<\/span>/g,
        (span, light, dark, text) => {
          const pair = `${light},${dark}`.toLowerCase();
          if (pair === usual) return text;
          const name = classes.get(pair);
          return name === undefined ? span : `<span class="${name}">${text}</span>`;
        },
      )
      .replace(/^(.*<code>)?<span class="line">(.*)<\/span>(<\/code>.*)?$/gm, '$1$2$3'),
};
