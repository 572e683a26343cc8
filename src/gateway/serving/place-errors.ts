/** Errors of options that come from a file get the line there. */
import { messageWithoutHint, TenonError } from '../../lib/errors/tenon-error.ts';
import { configError } from '../config/config-document.ts';
import type { GatewayConfig } from '../config/read-config.ts';

/** Runs what may refuse an upstream: `createGateway()` or `reload()`. */
export async function withPlaces<T>(config: GatewayConfig, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw placed(error, config);
  }
}

function placed(error: unknown, { document, member }: GatewayConfig): unknown {
  if (!(error instanceof TenonError) || typeof error.details.place !== 'string') return error;
  const inFile = (text: string): string => text.replaceAll(/\bupstreams\b(?=[.[])/g, member);
  const place = inFile(error.details.place);
  const text = inFile(messageWithoutHint(error).replace(/^[\w.]+\(\): /, ''));
  return configError([document.problemAt({ place, text, hint: inFile(error.hint ?? '') })], error);
}
