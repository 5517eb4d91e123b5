/** What a built-in getter says of a value; undefined for a value that it is not for. */
export function readBuiltIn(prototype: object, key: string, value: object): unknown {
  try {
    return Object.getOwnPropertyDescriptor(prototype, key)?.get?.call(value);
  } catch {
    // Of another kind than its prototypes say.
    return undefined;
  }
}
