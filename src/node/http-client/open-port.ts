/** The client's HTTP port in a process: on undici where it can be loaded, else on `fetch`, which every runtime has. */
import type * as Undici from 'undici';
import { createFetchPort } from '../../client/http/port/fetch-port.ts';
import type { HttpPort } from '../../client/http/port/port.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { importUnbundled } from '../../lib/values/unbundled.ts';
import type { HttpPortOptions } from './port-options.ts';

/** Throws `invalid-argument` for an option that only undici has, where there is none. */
export async function openHttpPort(options: HttpPortOptions): Promise<HttpPort> {
  const undici = await loadUndici();
  if (undici !== undefined) {
    const { createNodePort } = await import('./undici-port.ts');
    return createNodePort(undici, options);
  }
  const given = (['ca', 'maxConnections', 'connectTimeoutMs'] as const).find((name) => options[name] !== undefined);
  if (given === undefined) return createFetchPort();
  throw new TenonError('invalid-argument', `${given} of the target needs the package undici, which is not here.`, {
    hint: 'Install undici beside the program, or leave the option out: then fetch is used. Bun has no undici.',
  });
}

/** In a bundle it is not there, unless it is installed beside it. Bun has a stand-in for it that does not dispatch. */
async function loadUndici(): Promise<typeof Undici | undefined> {
  if ('bun' in process.versions) return undefined;
  try {
    return await importUnbundled<typeof Undici>('und', 'ici');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
