/** What proxies stand for, so that looking at one in the console runs none of its traps. */
const targets = new WeakMap<object, object>();

/** The object behind a proxy of this realm, and behind that one's; anything else is itself. */
export function targetOf(value: object): object {
  const target = targets.get(value);
  return target ? targetOf(target) : value;
}

/** Notes the target of each proxy that user code makes. A revoked one is as if it had none. */
export function watchProxies(): void {
  const { revocable } = Proxy;
  const note = (proxy: object, [target]: readonly unknown[]) => {
    if ((typeof target === 'object' && target !== null) || typeof target === 'function')
      targets.set(proxy, target);
  };
  Proxy.revocable = (...args) => {
    const made = revocable(...args);
    const { proxy, revoke } = made;
    note(proxy, args);
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
      note(proxy, args);
      return proxy;
    },
  });
}
