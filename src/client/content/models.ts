/** Chooses, of the models that a client has, the one that a server would like best. */
import type { ModelPreferences } from '../../protocol/generated/types/records.ts';

/** A model, with how good it is in each respect: from 0 to 1, and 0 where nothing is said. */
export interface ModelCandidate {
  readonly name: string;
  readonly cheapness?: number;
  readonly speed?: number;
  readonly intelligence?: number;
}

/**
 * The first hint that is part of the name of a model decides; where it names several, or no hint names any, the
 * priorities do, and last of all the order of the models. `undefined` only where there are none.
 */
export function chooseModel<M extends ModelCandidate>(
  models: readonly M[],
  preferences: ModelPreferences = {},
): M | undefined {
  for (const { name } of preferences.hints ?? []) {
    if (name === undefined || name === '') continue;
    const meant = models.filter((model) => model.name.toLowerCase().includes(name.toLowerCase()));
    if (meant.length > 0) return best(meant, preferences);
  }
  return best(models, preferences);
}

function best<M extends ModelCandidate>(models: readonly M[], preferences: ModelPreferences): M | undefined {
  const { costPriority = 0, speedPriority = 0, intelligencePriority = 0 } = preferences;
  const worth = ({ cheapness = 0, speed = 0, intelligence = 0 }: M): number =>
    costPriority * cheapness + speedPriority * speed + intelligencePriority * intelligence;
  return models.reduce<M | undefined>(
    (chosen, model) => (chosen === undefined || worth(model) > worth(chosen) ? model : chosen),
    undefined,
  );
}
