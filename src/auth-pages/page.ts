/** One page: its frame, and the headers that it is sent with. */
import { Html, type HtmlValue, html } from './html.ts';
import { style } from './style.ts';

/** What is around the content. */
export interface PageFrame {
  readonly title: string;
  /** The language of the texts. Default `en`. */
  readonly language?: string | undefined;
  /** Whether the content needs more width than a form. */
  readonly isWide?: boolean | undefined;
  /** Below the content. */
  readonly note?: string | undefined;
}

/** A complete page with nothing from elsewhere and no script. */
export const page = ({ title, language = 'en', note, isWide }: PageFrame, ...content: readonly HtmlValue[]): string =>
  framed(title, language, note, isWide, content).text;

const framed = (
  title: string,
  language: string,
  note: string | undefined,
  isWide: boolean | undefined,
  content: HtmlValue,
): Html => html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main${isWide === true && new Html(' class="wide"')}>
<h1>${title}</h1>
${content}
</main>
${note !== undefined && html`<footer>${note}</footer>`}
</body>
</html>
`;

/**
 * No `form-action`: browsers apply it to the redirects that follow the form too. No `no-referrer`: Chromium would send
 * `Origin: null` with the form. No `Cross-Origin-Opener-Policy`: clients that open the sign-in in a window of its own
 * would lose that window, and the page that it ends at could not report back.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
