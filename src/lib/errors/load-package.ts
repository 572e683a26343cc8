/** Loads an optional package when it is needed, so that its absence gets a sentence. */
import { TenonError } from './tenon-error.ts';

export interface NeededPackage {
  readonly name: string;
  /** What needs it, as a sentence begins. */
  readonly neededBy: string;
  readonly hint: string;
}

/** `load` is `() => import('name')`: bundlers read it there. Rejects with `missing-package`. */
export async function loadPackage<Module>(
  { name, neededBy, hint }: NeededPackage,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    const { code, message } = cause as Error & { readonly code?: unknown };
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(name);
    throw new TenonError(
      'missing-package',
      isMissing
        ? `${neededBy} needs the package ${name}, which is not installed beside tenon.`
        : `${neededBy} cannot load the package ${name}: ${message}`,
      { hint, cause },
    );
  }
}
