/** Loads oidc-provider when the first request comes. */
import { loadPackage } from '../../lib/errors/load-package.ts';
import type { EngineModule } from './engine.ts';

const needed = {
  name: 'oidc-provider',
  neededBy: 'authorizationServer()',
  hint: 'Run npm install oidc-provider in your project.',
};

export const loadEngine = (): Promise<EngineModule> => loadPackage(needed, () => import('oidc-provider'));
