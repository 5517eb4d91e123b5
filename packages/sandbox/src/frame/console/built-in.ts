/** Calls a built-in getter on a value; undefined if the value isn't of that kind. */
export function readBuiltIn(prototype: object, key: string, value: object): unknown {
  try {
    return Object.getOwnPropertyDescriptor(prototype, key)?.get?.call(value);
  } catch {
    // The value's prototype chain doesn't match its kind.
    return undefined;
  }
}
