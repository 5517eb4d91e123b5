class Counter {
  count: number = $state(4);
}
export const counter = new Counter();
