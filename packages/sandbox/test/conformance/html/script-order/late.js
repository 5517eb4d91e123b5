order.push("defer");
