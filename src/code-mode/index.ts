/** Code mode: a model calls the tools of a toolkit by scripts, which run in a sandbox. */
export { createCodeToolkit } from './code-toolkit.ts';
export type { CodeToolkitOptions } from './options.ts';
