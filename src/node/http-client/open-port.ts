/** Opens the client's HTTP port on undici, where that can be loaded. */
import type * as Undici from 'undici';
import type { HttpPort } from '../../client/http/port/port.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { importUnbundled } from '../../lib/values/unbundled.ts';
import type { HttpPortOptions } from './port-options.ts';

/** `undefined` where there is no undici. Throws `invalid-argument` for an option that only undici has. */
export async function openUndiciPort(options: HttpPortOptions): Promise<HttpPort | undefined> {
  const undici = await loadUndici();
  if (undici !== undefined) {
    const { createNodePort } = await import('./undici-port.ts');
    return createNodePort(undici, options);
  }
  const given = (['ca', 'maxConnections', 'connectTimeoutMs'] as const).find((name) => options[name] !== undefined);
  if (given === undefined) return undefined;
  throw new TenonError('invalid-argument', `${given} of the target needs the package undici, which is not installed.`, {
    hint: 'Install undici beside the program, or leave the option out: then fetch is used. Bun has no undici.',
  });
}

/** A bundle does not contain it; it may be installed beside it. Bun has a stand-in for it that does not dispatch. */
async function loadUndici(): Promise<typeof Undici | undefined> {
  if ('bun' in process.versions) return undefined;
  try {
    return await importUnbundled<typeof Undici>('und', 'ici');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
