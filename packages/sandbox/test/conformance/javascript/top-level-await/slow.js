export const value = await new Promise((done) => setTimeout(done, 20, "waited"));
