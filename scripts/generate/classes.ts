/** Finds equal shapes in all models, so that one function can check them all. */
import type { Model } from '../../src/protocol/model/model.ts';
import type { Shape } from '../../src/protocol/model/shape.ts';

export interface ShapeClasses {
  /** The class of a named shape of one model. */
  classOf(model: Model, name: string): number;
  /** A text that is the same for equal shapes of any model. */
  signature(model: Model, shape: Shape): string;
}

/** Partition refinement: all shapes start in one class, and classes are split while signatures differ. */
export function classify(models: readonly Model[]): ShapeClasses {
  const classes = new Map<Model, Map<string, number>>(
    models.map((model) => [model, new Map(Object.keys(model.shapes).map((name) => [name, 0]))]),
  );
  const classOf = (model: Model, name: string): number => {
    const found = classes.get(model)?.get(name);
    if (found === undefined) throw new Error(`No shape is named ${name}`);
    return found;
  };
  const signature = (model: Model, shape: Shape): string =>
    JSON.stringify(shape, (key, value) => {
      if (value?.is === 'named') return { class: classOf(model, value.name) };
      if (value?.is === 'kinds') return { kinds: value.of.map((name: string) => classOf(model, name)).sort() };
      if (key === 'fields') return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
      return value;
    });
  for (let before = -1, after = 1; before !== after; ) {
    before = after;
    const numbers = new Map<string, number>();
    const next = new Map(
      models.map((model) => {
        const refined = Object.entries(model.shapes).map(([name, shape]): [string, number] => {
          const text = `${classOf(model, name)} ${signature(model, shape)}`;
          const number = numbers.get(text) ?? numbers.size;
          numbers.set(text, number);
          return [name, number];
        });
        return [model, new Map(refined)];
      }),
    );
    for (const [model, refined] of next) classes.set(model, refined);
    after = numbers.size;
  }
  return { classOf, signature };
}
