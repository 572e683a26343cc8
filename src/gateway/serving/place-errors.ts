/** Errors of options that come from a file get their lines there. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Problem } from '../../lib/options/option-rules.ts';
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
  if (!(error instanceof TenonError) || !Array.isArray(error.details.problems)) return error;
  const inFile = (text: string): string => text.replaceAll(/\bupstreams(?=[.[])/g, member);
  const problems = (error.details.problems as readonly Problem[]).map(({ place, text, hint }) =>
    document.problemAt({ place: inFile(place), text: inFile(text), hint: inFile(hint) }),
  );
  return configError(problems, error);
}
