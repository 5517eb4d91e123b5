class Base { constructor() { this.set(); } set() {} }
class Child extends Base {
  kept?: string;
  override set() { this.kept = "kept"; }
}
document.querySelector("p")!.textContent = String(new Child().kept);
