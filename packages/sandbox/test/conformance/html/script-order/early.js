window.order = ["early"];
