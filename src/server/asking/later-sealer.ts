/** A sealer that is made when it is first needed, with the rest of what asking takes. */
import { loadAsking } from './loading.ts';
import type { Sealer, SealOptions } from './sealed-state.ts';

export function createLaterSealer(options: SealOptions | undefined): Sealer {
  let made: Sealer | undefined;
  async function sealer(): Promise<Sealer> {
    const { createSealer } = await loadAsking();
    made ??= createSealer(options);
    return made;
  }
  return {
    seal: async (content, binding) => (await sealer()).seal(content, binding),
    open: async (state, binding) => (await sealer()).open(state, binding),
  };
}
