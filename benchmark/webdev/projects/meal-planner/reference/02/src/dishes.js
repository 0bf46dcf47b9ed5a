export const dishes = [
  {
    id: "lentil-soup",
    name: "Lentil soup",
    serves: 4,
    minutes: 35,
    tags: ["vegan", "vegetarian"],
    ingredients: [
      { name: "Red lentils", amount: 300, unit: "g" },
      { name: "Carrots", amount: 3 },
      { name: "Onions", amount: 2 },
      { name: "Vegetable stock", amount: 1.2, unit: "l" },
      { name: "Salt" },
    ],
  },
  {
    id: "pancakes",
    name: "Pancakes",
    serves: 3,
    minutes: 25,
    tags: ["vegetarian"],
    ingredients: [
      { name: "Flour", amount: 250, unit: "g" },
      { name: "Milk", amount: 0.5, unit: "l" },
      { name: "Eggs", amount: 3 },
      { name: "Butter", amount: 30, unit: "g" },
      { name: "Salt" },
    ],
  },
  {
    id: "spaghetti",
    name: "Spaghetti al pomodoro",
    serves: 4,
    minutes: 20,
    tags: ["quick", "vegan", "vegetarian"],
    ingredients: [
      { name: "Spaghetti", amount: 0.5, unit: "kg" },
      { name: "Tinned tomatoes", amount: 800, unit: "g" },
      { name: "Onions", amount: 1 },
      { name: "Olive oil", amount: 3, unit: "tbsp" },
      { name: "Salt" },
    ],
  },
  {
    id: "potato-gratin",
    name: "Potato gratin",
    serves: 6,
    minutes: 75,
    tags: ["vegetarian"],
    ingredients: [
      { name: "Potatoes", amount: 1.5, unit: "kg" },
      { name: "Milk", amount: 250, unit: "ml" },
      { name: "Cream", amount: 400, unit: "ml" },
      { name: "Cheese", amount: 200, unit: "g" },
      { name: "Salt" },
    ],
  },
  {
    id: "chicken-curry",
    name: "Chicken curry",
    serves: 4,
    minutes: 45,
    tags: ["spicy"],
    ingredients: [
      { name: "Chicken", amount: 600, unit: "g" },
      { name: "Coconut milk", amount: 400, unit: "ml" },
      { name: "Rice", amount: 320, unit: "g" },
      { name: "Onions", amount: 2 },
      { name: "Curry paste", amount: 2, unit: "tbsp" },
    ],
  },
  {
    id: "fried-rice",
    name: "Fried rice",
    serves: 2,
    minutes: 20,
    tags: ["quick", "vegetarian"],
    ingredients: [
      { name: "Rice", amount: 0.2, unit: "kg" },
      { name: "Eggs", amount: 2 },
      { name: "Carrots", amount: 1 },
      { name: "Soy sauce", amount: 2, unit: "tbsp" },
    ],
  },
  {
    id: "greek-salad",
    name: "Greek salad",
    serves: 2,
    minutes: 15,
    tags: ["quick", "vegetarian"],
    ingredients: [
      { name: "Tomatoes", amount: 4 },
      { name: "Cucumbers", amount: 1 },
      { name: "Feta", amount: 150, unit: "g" },
      { name: "Onions", amount: 1 },
      { name: "Olive oil", amount: 50, unit: "ml" },
    ],
  },
  {
    id: "fish-pie",
    name: "Fish pie",
    serves: 4,
    minutes: 60,
    tags: [],
    ingredients: [
      { name: "Cod", amount: 500, unit: "g" },
      { name: "Potatoes", amount: 800, unit: "g" },
      { name: "Milk", amount: 300, unit: "ml" },
      { name: "Butter", amount: 60, unit: "g" },
    ],
  },
  {
    id: "bean-chilli",
    name: "Bean chilli",
    serves: 5,
    minutes: 50,
    tags: ["spicy", "vegan", "vegetarian"],
    ingredients: [
      { name: "Kidney beans", amount: 750, unit: "g" },
      { name: "Peppers", amount: 4 },
      { name: "Onions", amount: 3 },
      { name: "Tinned tomatoes", amount: 1, unit: "kg" },
      { name: "Chilli flakes" },
    ],
  },
  {
    id: "omelette",
    name: "Omelette",
    serves: 1,
    minutes: 10,
    tags: ["quick", "vegetarian"],
    ingredients: [
      { name: "Eggs", amount: 3 },
      { name: "Butter", amount: 10, unit: "g" },
      { name: "Salt" },
    ],
  },
];

const byId = new Map(dishes.map((dish) => [dish.id, dish]));

export function findDish(id) {
  return byId.get(id);
}
