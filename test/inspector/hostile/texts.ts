/** Texts by which a server could try to run something in the page, to have it load something, or to break it. */

/** A binding of the observer: whatever calls it has run. */
export const run = 'hostileRan()';

/** `elsewhere` is an origin that nothing may reach. */
export function hostileTexts(elsewhere: string): readonly string[] {
  const url = `${elsewhere}/x`;
  return [
    `<script>${run}</script>`,
    `<img src=x onerror="${run}">`,
    `<svg onload="${run}">`,
    `<svg><script>${run}</script></svg>`,
    `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
    `<iframe src="${url}"></iframe>`,
    `<iframe src="javascript:${run}"></iframe>`,
    `<object data="${url}"></object>`,
    `<embed src="${url}">`,
    `<link rel="stylesheet" href="${url}"><link rel="preconnect" href="${elsewhere}">`,
    `<style>@import "${url}"; * { display: none }</style>`,
    `<base href="${url}">`,
    `<meta http-equiv="refresh" content="0;url=${url}">`,
    `<meta http-equiv="content-security-policy" content="default-src *">`,
    `<form action="${url}"><button autofocus>x</button></form>`,
    `<a href="javascript:${run}">x</a>`,
    `<details open ontoggle="${run}">`,
    `<input autofocus onfocus="${run}">`,
    `<video poster="${url}"><source onerror="${run}"></video>`,
    `<math><mtext><script>${run}</script></mtext></math>`,
    `<template><script>${run}</script></template>`,
    `<div style="position:fixed;inset:0;z-index:99999;background:red">cover</div>`,
    `<dialog open style="position:fixed;inset:0">cover</dialog>`,
    `"><script>${run}</script>`,
    `'"--></style></script><script>${run}</script>`,
    `</textarea><script>${run}</script>`,
    `</title><img src=x onerror=${run}>`,
    `[a](javascript:${run})`,
    `[a](data:text/html,<script>${run}</script>)`,
    `[a](vbscript:${run})`,
    `[a]( javascript:${run})`,
    `[a](${url})`,
    `![a](${url})`,
    `# heading <img src=x onerror=${run}>\n\n- **<b onclick=${run}>x</b>**\n- \`<script>${run}</script>\``,
    `| a | b |\n|---|---|\n| <img src=x onerror=${run}> | [x](javascript:${run}) |`,
    `\`\`\`html\n<script>${run}</script>\n\`\`\``,
    `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}`,
    `{"a":"<img src=x onerror=${run}>"}`,
    `{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"${run}"}},"key":null,"ref":null}`,
    `javascript:${run}`,
    `data:text/html,<script>${run}</script>`,
    `\u202Egnp.exe\u202C \u2066\u2067\u2068`,
    `\u0000\u0007\u001B[31mred\u001B[0m\u001B]8;;${url}\u0007link`,
    '\uD800 a lone surrogate \uDFFF',
    'a'.repeat(100_000),
    '\u0301'.repeat(400),
    `${'\n'.repeat(500)}below`,
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'page top rail palette',
    '--config=/etc/passwd',
    `{{constructor.constructor('${run}')()}}`,
    `\${${run}}`,
  ];
}

/** Texts that take long if a pattern looks at the same characters again and again. */
export const longTexts: readonly string[] = [
  '['.repeat(100_000),
  '[a]('.repeat(25_000),
  `|${'|'.repeat(50_000)}${' '.repeat(50_000)}x`,
  '\n'.repeat(100_000),
  `${' '.repeat(100_000)}x`,
  '```\n'.repeat(25_000),
  '# a\n'.repeat(25_000),
  '*a'.repeat(50_000),
];

/** A text as the name of a property. Clients refuse messages with a property `__proto__`: one tool has such a result. */
export const key = (text: string): string => (text === '__proto__' ? 'prototype' : text);

/** A text for the title of a test. */
export const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
