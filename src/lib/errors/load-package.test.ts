import { expect, it } from 'vitest';
import { loadPackage } from './load-package.ts';

const needed = { name: 'oidc-provider', neededBy: 'authorizationServer()', hint: 'Run npm install oidc-provider.' };
const failing = (text: string, code?: string) => () => Promise.reject(Object.assign(new Error(text), { code }));

it('names a package that is missing, and why one cannot be loaded', async () => {
  expect(await loadPackage(needed, async () => 'loaded')).toBe('loaded');
  const missing = failing("Cannot find package 'oidc-provider' imported from x", 'ERR_MODULE_NOT_FOUND');
  await expect(loadPackage(needed, missing)).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining('needs the package oidc-provider, which is not installed beside tenon.'),
    hint: 'Run npm install oidc-provider.',
  });
  const broken = failing("Cannot find package 'koa' imported from x", 'ERR_MODULE_NOT_FOUND');
  await expect(loadPackage(needed, broken)).rejects.toMatchObject({
    code: 'missing-package',
    message: expect.stringContaining("cannot load the package oidc-provider: Cannot find package 'koa'"),
  });
});
