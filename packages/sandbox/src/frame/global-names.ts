import { nameLimits } from '../console-messages.ts';
import { isNative, prototypesOf } from './shapes.ts';

/**
 * Names of what is at the end of a path of properties that begins with a global name; of the global
 * object for an empty path. No getter of the page is asked on the way: behind one there are no names.
 */
export function findNames(path: readonly string[], realm: Realm): string[] {
  const [first, ...rest] = path;
  let found: unknown = first === undefined ? globalThis : findGlobal(first, realm);
  for (const name of rest) found = readSafely(found, name, realm);
  return found === undefined || found === null ? [] : namesOf(realm.targetOf(asObject(found)));
}

export interface Realm {
  run(code: string): unknown;
  /** The object behind a proxy. */
  targetOf(value: object): object;
}

/** A string has the names of a String. */
function asObject(value: unknown): object {
  return Object(value) as object;
}

function namesOf(object: object): string[] {
  const names = new Set<string>();
  for (const holder of [object, ...prototypesOf(object)])
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (names.size >= nameLimits.most) return [...names];
      if (name.length <= nameLimits.characters && !/^\d/.test(name)) names.add(name);
    }
  return [...names];
}

/** Constants and classes of classic scripts are no properties of the global object. */
function findGlobal(name: string, realm: Realm): unknown {
  if (name === 'this') return globalThis;
  const isProperty = [globalThis, ...prototypesOf(globalThis)].some((holder) =>
    Object.hasOwn(holder, name),
  );
  if (isProperty) return readSafely(globalThis, name, realm);
  if (!/^[\p{L}$_][\p{L}\p{N}$_]*$/u.test(name)) return undefined;
  try {
    return realm.run(name);
  } catch {
    // There is none, or not yet.
    return undefined;
  }
}

/** By a value, or by a getter of the platform. */
function readSafely(value: unknown, name: string, { targetOf }: Realm): unknown {
  if (value === undefined || value === null) return undefined;
  const object = targetOf(asObject(value));
  for (const holder of [object, ...prototypesOf(object)]) {
    const property = Object.getOwnPropertyDescriptor(holder, name);
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
    // `localStorage` where there is none, for instance.
    return undefined;
  }
}
