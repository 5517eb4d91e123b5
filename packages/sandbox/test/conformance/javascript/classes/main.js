class Counter {
  static #made = 0;
  static { Counter.#made = 5; }
  #n = 1;
  get n() { return this.#n; }
  static make() { Counter.#made += 1; return [new Counter().n, Counter.#made]; }
}
document.querySelector("p").textContent = Counter.make().join();
