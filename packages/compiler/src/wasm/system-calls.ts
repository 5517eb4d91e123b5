/** The WASI (preview 1) functions that oxc imports, without files and environment. */
export function createSystemCalls(memory: WebAssembly.Memory) {
  // Created for each call, since growing the memory replaces its buffer.
  const view = () => new DataView(memory.buffer);
  return {
    wasiImport: {
      random_get(at: number, length: number): number {
        crypto.getRandomValues(new Uint8Array(memory.buffer, at, length));
        return success;
      },
      environ_get: () => success,
      environ_sizes_get(countAt: number, sizeAt: number): number {
        view().setUint32(countAt, 0, true);
        view().setUint32(sizeAt, 0, true);
        return success;
      },
      clock_time_get(_clock: number, _precision: bigint, at: number): number {
        view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return success;
      },
      fd_write: () => badFile,
      sched_yield: () => success,
      proc_exit(code: number): never {
        throw new Error(`oxc ended with code ${code}`);
      },
    },
    initialize(instance: object): void {
      const { exports } = instance as WebAssembly.Instance;
      if (typeof exports['_initialize'] === 'function') exports['_initialize']();
    },
    start: () => 0,
  };
}

const success = 0;
/** WASI errno `badf`. */
const badFile = 8;
