/** The style of the pages: the colours of the inspector, light and dark, readable at every width. */
import { Html } from './html.ts';

const light = `
  --canvas: #f8f8f9; --raised: #fff; --hover: #f0f0f3; --line: #e8e8ec; --line-strong: #8a8d98;
  --text: #1a1b1f; --soft: #565963; --accent: #3451d1; --accent-strong: #2a43b8; --on-accent: #fff;
  --warn: #8a5a00; --warn-soft: #fcf5e4;`;

const dark = `
  --canvas: #101115; --raised: #1c1e23; --hover: #25272d; --line: #2f323a; --line-strong: #737784;
  --text: #e8e9ed; --soft: #aeb1bb; --accent: #92a8ff; --accent-strong: #a9baff; --on-accent: #0e1326;
  --warn: #e3b35a; --warn-soft: #28210f;`;

export const style = new Html(`
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 16px; background: var(--canvas); color: var(--text);
  font: 16px/24px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
}
main {
  max-width: 480px; margin: 8vh auto 0; padding: 32px; background: var(--raised);
  border: 1px solid var(--line); border-radius: 10px;
}
main.wide { max-width: 760px; }
pre {
  margin: 4px 0 0; padding: 12px 16px; white-space: pre-wrap;
  border: 1px solid var(--line); border-radius: 6px; background: var(--canvas);
}
main > form + p { margin-top: 24px; }
main > p:last-child { margin-bottom: 0; }
label { display: block; margin-bottom: 4px; color: var(--soft); font-size: 14px; line-height: 20px; }
label + input[type=text] { width: 100%; }
h1 { margin: 0 0 16px; font-size: 22px; line-height: 30px; font-weight: 600; }
h2 { margin: 0; font-size: 16px; line-height: 24px; font-weight: 600; }
p { margin: 0 0 16px; }
code { font: 14px/22px ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
dl { margin: 0 0 24px; border-top: 1px solid var(--line); }
dl > div { padding: 12px 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); font-size: 14px; line-height: 20px; }
dd { margin: 2px 0 0; }
ul { margin: 0; padding: 0; list-style: none; }
ul + p { margin-top: 16px; }
ul.cards { margin: 0 0 24px; border-top: 1px solid var(--line); }
ul.cards > li { padding: 16px 0; border-bottom: 1px solid var(--line); }
ul.cards form { margin-top: 8px; }
.soft { color: var(--soft); font-size: 14px; line-height: 20px; }
.tag {
  display: inline-block; padding: 0 8px; border: 1px solid var(--warn); border-radius: 999px;
  color: var(--warn); font-size: 13px; line-height: 20px; vertical-align: 1px;
}
.warning {
  margin: 0 0 24px; padding: 12px 16px; border-left: 3px solid var(--warn); border-radius: 6px;
  background: var(--warn-soft);
}
.buttons { display: flex; flex-wrap: wrap; gap: 12px; }
button {
  min-height: 44px; padding: 8px 20px; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--raised); color: var(--text); font: inherit; font-weight: 500; cursor: pointer;
}
button:hover { background: var(--hover); }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.primary:hover { border-color: var(--accent-strong); background: var(--accent-strong); }
input[type=text] {
  min-height: 44px; padding: 8px 12px; border: 1px solid var(--line-strong); border-radius: 6px;
  background: var(--raised); color: var(--text); font: inherit; max-width: 100%;
}
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { max-width: 480px; margin: 16px auto 0; color: var(--soft); font-size: 14px; line-height: 20px; text-align: center; }
@media (max-width: 480px) {
  main { margin-top: 0; padding: 24px 20px; }
  .buttons button { flex: 1 1 100%; }
}
`);
