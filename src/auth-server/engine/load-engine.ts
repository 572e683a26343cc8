/** Loads oidc-provider when it is needed, so that its absence gets a sentence. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { EngineModule } from './engine.ts';

export async function loadEngine(): Promise<EngineModule> {
  try {
    return await import('oidc-provider');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes('oidc-provider');
    throw new TenonError(
      'missing-package',
      isMissing
        ? 'authorizationServer() needs the package oidc-provider, which is not installed beside tenon.'
        : `The package oidc-provider of authorizationServer() cannot be loaded: ${message}`,
      { hint: 'Run npm install oidc-provider in your project.', cause },
    );
  }
}
