/** Targets of proxies, so that the console can show a proxy without running its traps. */
const targets = new WeakMap<object, object>();

/** The target of a proxy of this realm, unwrapping nested proxies; any other object as it is. */
export function targetOf(value: object): object {
  const target = targets.get(value);
  return target ? targetOf(target) : value;
}

/** Records the target of each proxy that user code creates. A revoked proxy counts as an ordinary object. */
export function watchProxies(): void {
  const { revocable } = Proxy;
  const record = (proxy: object, [target]: readonly unknown[]) => {
    if ((typeof target === 'object' && target !== null) || typeof target === 'function')
      targets.set(proxy, target);
  };
  Proxy.revocable = (...args) => {
    const made = revocable(...args);
    const { proxy, revoke } = made;
    record(proxy, args);
    made.revoke = () => {
      targets.delete(proxy);
      revoke();
    };
    return made;
  };
  window.Proxy = new Proxy(Proxy, {
    construct(native, args, newTarget) {
      const made: unknown = Reflect.construct(native, args, newTarget);
      const proxy = Object(made);
      record(proxy, args);
      return proxy;
    },
  });
}
