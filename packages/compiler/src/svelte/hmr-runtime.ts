/**
 * The runtime module that Svelte components import to preserve state in HMR updates. It is a `data:`
 * URL, so that all components of a page share one instance, with both transports.
 *
 * A component instance is identified by its props object, which Svelte passes on to the next version.
 * A child of a recreated component is identified by its position in the parent's markup.
 */
const text = `
// State of instances, by props object.
const instances = new WeakMap();
// Props of the replaced instance, by props of the new one.
const earlier = new WeakMap();
// Files of which an instance was created, completely or not.
const created = new Set();

// Called for a new instance. "path" is the component's file, "version" identifies its version.
export default function openState(properties, path, version) {
  created.add(path);
  let before = findBefore(properties, path, version);
  const own = { path, version, values: new Map(), children: new Map() };
  if (properties) instances.set(properties, own);
  // Instances created later than this tick are new ones and don't replace any.
  queueMicrotask(() => (before = undefined));
  return {
    // Returns the preserved value of a variable, or its initial value if the code that creates it
    // ("key") or the imports it uses ("used") have changed.
    value(name, key, used, make, read) {
      const old = before?.values.get(name);
      const isSame = old?.key === key && old.used.every((one, at) => Object.is(one, used[at]));
      const value = isSame ? old.read() : make();
      own.values.set(name, { key, used, read });
      return value;
    },
    // Registers the props of a child component at a place in the markup.
    child(place, properties) {
      const old = before?.children.get(place);
      before?.children.delete(place);
      if (old) earlier.set(properties, old);
      own.children.set(place, properties);
      return properties;
    },
  };
}

// Whether a file's instances have been removed or threw as they were created: nothing depends on the
// signal that holds its newest version.
openState.isGone = (path, signal) => created.has(path) && !signal.reactions?.length;

function findBefore(properties, path, version) {
  const known = instances.get(properties);
  if (known?.path === path && known.version !== version) return known;
  const found = instances.get(earlier.get(properties));
  earlier.delete(properties);
  return found?.path === path ? found : undefined;
}
`;

/** URL of the runtime module. Its default export is called when an instance is created. */
export const hmrRuntimeUrl = `data:text/javascript,${encodeURIComponent(text)}`;
