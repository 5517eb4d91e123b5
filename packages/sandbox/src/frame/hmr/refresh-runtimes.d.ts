/** Types of the parts of the two refresh runtimes that are used; neither package has types. */
declare module 'react-refresh/runtime' {
  export function injectIntoGlobalHook(window: Window): void;
  export function register(type: unknown, id: string): void;
  export function createSignatureFunctionForTransform(): (
    type?: unknown,
    key?: string,
    ...rest: unknown[]
  ) => unknown;
  export function isLikelyComponentType(value: unknown): boolean;
  export function performReactRefresh(): unknown;
}

declare module '@prefresh/core' {}

declare module '@prefresh/utils' {
  export function flush(): void;
  export function isComponent(value: unknown): boolean;
}
