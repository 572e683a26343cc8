/** Decides which tools are sent in one turn: a pure function of what was found, the tools and the budget. */

/** A tool, and what its definition costs. */
export interface CountedTool {
  readonly name: string;
  readonly tokens: number;
}

/** A tool that the model has found, in the order found. */
export interface FoundTool {
  readonly name: string;
  /** The turn in which it was found or called last. */
  readonly usedAt: number;
  /** Its place among what was found with it: 0 is the best, and what was called since. */
  readonly rank: number;
}

/** What is remembered from turn to turn. */
export interface ContextState {
  readonly turn: number;
  readonly found: readonly FoundTool[];
  /** The names that were sent last; absent before the first turn. */
  readonly sent?: readonly string[];
}

export interface TurnLimits {
  /** Tokens of all definitions together. */
  readonly maxTokens: number;
  /** Of these, what the toolkit's own tools take if not all tools are sent. */
  readonly ownTokens: number;
  /** Tools beside the toolkit's own. */
  readonly maxTools: number;
  /** Tools that are sent in every turn. */
  readonly isPinned: (name: string) => boolean;
}

export interface TurnPlan {
  /** The tools that are sent, in an order whose beginning stays the same: prompts can be cached. */
  readonly sent: readonly string[];
  readonly state: ContextState;
  /** Whether other tools are sent than in the turn before. */
  readonly changed: boolean;
  /** Whether some tools are not sent: then the model gets the tools to find them. */
  readonly needsSearch: boolean;
}

export const firstState: ContextState = { turn: 0, found: [] };

/**
 * All tools by name if they fit the budget. Otherwise pinned ones by name, then found ones in the order found; of these, the one that
 * was unused for longest leaves until the rest fits, of one search the worst. The one that was used last stays, and so do pinned ones.
 */
export function planTurn(state: ContextState, tools: readonly CountedTool[], limits: TurnLimits): TurnPlan {
  const tokens = new Map(tools.map((tool) => [tool.name, tool.tokens]));
  const cost = (names: Iterable<string>): number => [...names].reduce((sum, name) => sum + (tokens.get(name) ?? 0), 0);
  const names = [...tokens.keys()].sort(byCodeUnits);
  const known = state.found.filter(({ name }) => tokens.has(name));
  if (names.length <= limits.maxTools && cost(names) <= limits.maxTokens) return planned(state, known, names, false);
  const pinned = names.filter(limits.isPinned);
  const others = known.filter(({ name }) => !limits.isPinned(name));
  const space = limits.maxTokens - limits.ownTokens - cost(pinned);
  const found = within(others, { tokens: space, tools: limits.maxTools - pinned.length }, (one) => cost([one.name]));
  return planned(state, found, [...pinned, ...found.map(({ name }) => name)], true);
}

/** The turn that follows a search: what was found is sent from now on. */
export function withFound(state: ContextState, names: readonly string[]): ContextState {
  const ranks = new Map([...new Set(names)].map((name, rank) => [name, rank]));
  const again = state.found.map((one) => {
    const rank = ranks.get(one.name);
    ranks.delete(one.name);
    return rank === undefined ? one : { ...one, usedAt: state.turn, rank };
  });
  const added = [...ranks].map(([name, rank]) => ({ name, usedAt: state.turn, rank }));
  return { ...state, found: [...again, ...added] };
}

/** The model has called a tool: it is not the first to leave. */
export const withUsed = (state: ContextState, names: readonly string[]): ContextState => ({
  ...state,
  found: state.found.map((one) => (names.includes(one.name) ? { ...one, usedAt: state.turn, rank: 0 } : one)),
});

function planned(
  state: ContextState,
  found: readonly FoundTool[],
  sent: readonly string[],
  needsSearch: boolean,
): TurnPlan {
  const changed = state.sent !== undefined && state.sent.join('\n') !== sent.join('\n');
  return { sent, changed, needsSearch, state: { turn: state.turn + 1, found, sent } };
}

/**
 * Those that fit, in their order: the one that was unused for longest leaves first, of those that were found together the worst,
 * then the earlier one of two.
 */
function within(
  found: readonly FoundTool[],
  space: { readonly tokens: number; readonly tools: number },
  cost: (one: FoundTool) => number,
): readonly FoundTool[] {
  const remaining = new Set(found);
  const oldestFirst = found.toSorted((one, other) => one.usedAt - other.usedAt || other.rank - one.rank);
  let total = found.reduce((sum, one) => sum + cost(one), 0);
  for (const one of oldestFirst.slice(0, -1)) {
    if (total <= space.tokens && remaining.size <= space.tools) break;
    remaining.delete(one);
    total -= cost(one);
  }
  return [...remaining];
}

/** The same on every machine, whatever its language is. */
const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : 1);
