import { completionLimits } from '../console-messages.ts';
import { isNative, prototypesOf } from './console/shapes.ts';

/**
 * Member names of the object at a property path from the global object; of the global object itself for an
 * empty path. Getters of the page aren't run, so a path through one has no names.
 */
export function findMemberNames(path: readonly string[], realm: EvaluationRealm): string[] {
  const [first, ...rest] = path;
  let found: unknown = first === undefined ? globalThis : findGlobal(first, realm);
  for (const name of rest) found = readSafely(found, name, realm);
  return found === undefined || found === null ? [] : namesOf(realm.targetOf(asObject(found)));
}

interface EvaluationRealm {
  evaluate(code: string): unknown;
  /** Returns the target of a proxy; any other object as it is. */
  targetOf(value: object): object;
}

/** Wraps a primitive, so that a string has the names of String. */
function asObject(value: unknown): object {
  return Object(value) as object;
}

function namesOf(object: object): string[] {
  const names = new Set<string>();
  for (const owner of [object, ...prototypesOf(object)])
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (names.size >= completionLimits.maxNames) return [...names];
      if (name.length <= completionLimits.maxNameLength && !/^\d/.test(name)) names.add(name);
    }
  return [...names];
}

/** Finds a global. Constants and classes of classic scripts aren't properties of the global object. */
function findGlobal(name: string, realm: EvaluationRealm): unknown {
  if (name === 'this') return globalThis;
  const isProperty = [globalThis, ...prototypesOf(globalThis)].some((owner) =>
    Object.hasOwn(owner, name),
  );
  if (isProperty) return readSafely(globalThis, name, realm);
  if (!/^[\p{L}$_][\p{L}\p{N}$_]*$/u.test(name)) return undefined;
  try {
    return realm.evaluate(name);
  } catch {
    // The name isn't defined, or not initialized yet.
    return undefined;
  }
}

/** Reads a data property, or a getter of the platform. */
function readSafely(value: unknown, name: string, { targetOf }: EvaluationRealm): unknown {
  if (value === undefined || value === null) return undefined;
  const object = targetOf(asObject(value));
  for (const owner of [object, ...prototypesOf(object)]) {
    const property = Object.getOwnPropertyDescriptor(owner, name);
    if (!property) continue;
    if (!property.get) return property.value;
    return isNative(property.get) ? tryGet(property.get, value) : undefined;
  }
  return undefined;
}

function tryGet(getter: () => unknown, receiver: unknown): unknown {
  try {
    return Reflect.apply(getter, receiver, []);
  } catch {
    // The getter throws, as `localStorage` does in an opaque-origin document.
    return undefined;
  }
}
