// A classic script's neighbor: me@example.org is no decorator.
const said = [];
const say = (word) => (_value, { kind }) => void said.push(`${word} ${kind}`);

@say("a") class A {
  @say("b") field = 1;
  @say("c") get size() {
    return 2;
  }
  static accessor total = 3;
}
const a = new (@say("d") class extends A {})();
document.querySelector("p").textContent = [...said, a.field + a.size + A.total].join(", ");
