/** Chooses the model of a client that fits the preferences of a server best. */
import type { ModelPreferences } from '../../protocol/generated/types/records.ts';

/** A model with its ratings, each from 0 to 1. Default 0. */
export interface ModelCandidate {
  /** The name of the model, which hints are compared with. */
  readonly name: string;
  /** How cheap the model is, from 0 to 1. Default 0. */
  readonly cheapness?: number;
  /** How fast the model is, from 0 to 1. Default 0. */
  readonly speed?: number;
  /** How capable the model is, from 0 to 1. Default 0. */
  readonly intelligence?: number;
}

/**
 * Chooses a model by the preferences of a sampling request. The first hint that is part of the name of a model decides; if
 * it matches several models, or no hint matches, the priorities decide, then the order. `undefined` for an empty list.
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
