/** The store of the nodes: that of `CLUSTER_STORE`, or a Redis of this run. */
import { env } from 'node:process';
import { freePort, type Program, startProgram } from './programs.ts';

/** The URL of any store that several processes can share. */
export const givenStore: string | undefined = env.CLUSTER_STORE || undefined;

export interface ClusterStore {
  readonly url: string;
  /** A line about it, without a password. */
  readonly shown: string;
  /** The process of the store, if this run has started it. */
  readonly program?: Program;
}

/** `folder` gets the files of Redis. */
export async function startStore(folder: string): Promise<ClusterStore> {
  if (givenStore !== undefined) return { url: givenStore, shown: `store   ${withoutSecrets(givenStore)}` };
  const port = await freePort();
  const saving = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...saving];
  const program = await startProgram('redis-server', { args, ready: /Ready to accept connections/ });
  const url = `redis://127.0.0.1:${port}`;
  return { url, shown: `store   ${url}, process ${program.pid}`, program };
}

/** Passwords are before an @ or among the parameters. */
const withoutSecrets = (url: string): string => url.replace(/\?.*$/s, '').replace(/\/\/.*@/s, '//');
