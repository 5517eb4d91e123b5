/**
 * The module that components of Svelte import to keep what they hold. It is at an address that holds
 * it whole, so that there is one for all components of a page, on either path.
 *
 * An instance of a component is known by its properties, an object that it has for itself and that
 * Svelte gives to its next version too. One within a component that was made anew is known by where
 * it stands in that.
 */
const text = `
// What instances hold, by their properties.
const instances = new WeakMap();
// The properties of the instance whose place a new one takes, by those of the new one.
const earlier = new WeakMap();

// Of a new instance: "path" is the component's file, "version" differs with each version of that.
export default function openState(properties, path, version) {
  let before = findBefore(properties, path, version);
  const own = { path, version, values: new Map(), children: new Map() };
  if (properties) instances.set(properties, own);
  // What is not shown at once takes nobody's place.
  queueMicrotask(() => (before = undefined));
  return {
    // The value that a variable had, or that it begins with: what made it ("key") and the imports
    // that it was made with ("used") have to be the same.
    value(name, key, used, make, read) {
      const old = before?.values.get(name);
      const isSame = old?.key === key && old.used.every((one, at) => Object.is(one, used[at]));
      const value = isSame ? old.read() : make();
      own.values.set(name, { key, used, read });
      return value;
    },
    // The properties of a component that is made at a place in the markup.
    child(place, properties) {
      const old = before?.children.get(place);
      before?.children.delete(place);
      if (old) earlier.set(properties, old);
      own.children.set(place, properties);
      return properties;
    },
  };
}

function findBefore(properties, path, version) {
  const known = instances.get(properties);
  if (known?.path === path && known.version !== version) return known;
  const found = instances.get(earlier.get(properties));
  earlier.delete(properties);
  return found?.path === path ? found : undefined;
}
`;

/** Its default export is called at the beginning of each instance. */
export const openStateAddress = `data:text/javascript,${encodeURIComponent(text)}`;
