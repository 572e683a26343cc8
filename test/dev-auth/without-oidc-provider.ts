/** The environment of a process that has not installed oidc-provider. */

const hooks = `export async function resolve(name, context, next) {
  if (name !== 'oidc-provider') return next(name, context);
  const text = "Cannot find package 'oidc-provider' imported from " + context.parentURL;
  throw Object.assign(new Error(text), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
const asUrl = (script: string): string => `data:text/javascript,${encodeURIComponent(script)}`;
const register = `import { register } from 'node:module'; register(${JSON.stringify(asUrl(hooks))});`;

export const withoutOidcProvider = { NODE_OPTIONS: `--import=${asUrl(register)}` };

export const missingOidcProvider =
  'The development authorization server needs the package oidc-provider, which is not installed beside tenon. ' +
  'Run npm install --save-dev oidc-provider jose in your project, and use the tenon of the project.';
