/** Methods that can be taken from their object, as in `const { close } = client`: each is bound when it is looked up. */

/** Clients are many and mostly idle, so none of them holds functions of its own. What a user puts in place of a method stays. */
export function bindWhenTaken(...classes: ReadonlyArray<{ readonly prototype: object }>): void {
  for (const { prototype } of classes) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (name !== 'constructor' && typeof value === 'function') bindOne(prototype, name, value);
  }
}

function bindOne(prototype: object, name: string, method: (...given: unknown[]) => unknown): void {
  Object.defineProperty(prototype, name, {
    configurable: true,
    get(this: unknown) {
      return (...given: unknown[]) => method.apply(this, given);
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { configurable: true, enumerable: true, writable: true, value });
    },
  });
}
