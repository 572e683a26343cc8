/** Why a gateway is not ready for calls, for `/readyz`. */
import type { Store } from '../../store/store.ts';
import type { GatewayStatus } from '../types.ts';

/**
 * How long the store may take to answer `/readyz`.
 * @limit gateway
 * @beyond 503
 */
const storeMs = 2000;

export interface ReadySource {
  readonly isDraining: boolean;
  readonly status: GatewayStatus;
  readonly store: Store | undefined;
}

export const notReady = async ({ isDraining, status, store }: ReadySource): Promise<readonly string[]> => [
  ...(isDraining ? ['draining'] : []),
  ...unavailable(status),
  ...(await storeProblems(store)),
];

const unavailable = ({ upstreams }: GatewayStatus): string[] =>
  Object.entries(upstreams)
    .filter(([, { required, state, circuit }]) => required && (state === 'failing' || circuit === 'open'))
    .map(([name]) => `the upstream ${name} is not available`);

async function storeProblems(store: Store | undefined): Promise<string[]> {
  if (store?.credentials === undefined) return [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve(['the store does not answer']), storeMs);
  });
  const read = store.credentials.read('ready').then(
    () => [],
    () => ['the store fails'],
  );
  return Promise.race([read, late]).finally(() => clearTimeout(timer));
}
