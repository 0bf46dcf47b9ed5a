import { dishes } from "./dishes.js";

export const WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MEALS = "mealplan/meals";
const BASKET = "mealplan/basket";

export const dishById = Object.fromEntries(dishes.map((dish) => [dish.id, dish]));

export function validPeople(value) {
  return /^([1-9]|1[0-2])$/.test(value);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function storedMeals() {
  const stored = parse(localStorage.getItem(MEALS));
  if (!Array.isArray(stored)) {
    return [];
  }
  return stored.filter((meal) => WEEK.includes(meal?.day) && dishById[meal.dish] && validPeople(meal.people));
}

function storedBasket() {
  const stored = parse(localStorage.getItem(BASKET));
  if (!Array.isArray(stored)) {
    return new Map();
  }
  return new Map(stored.filter((entry) => Array.isArray(entry) && entry.length === 2));
}

let state = { meals: storedMeals(), basket: storedBasket(), undoable: [], query: "", tags: new Set() };
const listeners = new Set();

function set(part) {
  state = { ...state, ...part };
  listeners.forEach((listener) => listener(state));
}

export function getState() {
  return state;
}

export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function saveMeals(meals, undoable) {
  localStorage.setItem(MEALS, JSON.stringify(meals));
  set({ meals, undoable });
}

function changeMeals(meals) {
  saveMeals(meals, [...state.undoable, state.meals]);
}

function saveBasket(basket) {
  localStorage.setItem(BASKET, JSON.stringify([...basket]));
  set({ basket });
}

const is = (day, dish) => (meal) => meal.day === day && meal.dish === dish;

export function mealsOf(meals, day) {
  return meals.filter((meal) => meal.day === day);
}

export const actions = {
  add(day, dish) {
    changeMeals([...state.meals, { day, dish, people: 4 }]);
  },
  remove(day, dish) {
    changeMeals(state.meals.filter((meal) => !is(day, dish)(meal)));
  },
  serve(day, dish, people) {
    changeMeals(state.meals.map((meal) => (is(day, dish)(meal) ? { ...meal, people } : meal)));
  },
  copy(from, to) {
    const copies = mealsOf(state.meals, from)
      .filter(({ dish }) => !state.meals.some(is(to, dish)))
      .map((meal) => ({ ...meal, day: to }));
    if (copies.length) {
      changeMeals([...state.meals, ...copies]);
    }
  },
  undo() {
    const previous = state.undoable.at(-1);
    if (previous) {
      saveMeals(previous, state.undoable.slice(0, -1));
    }
  },
  search(query) {
    set({ query });
  },
  toggleTag(tag) {
    const tags = new Set(state.tags);
    if (!tags.delete(tag)) {
      tags.add(tag);
    }
    set({ tags });
  },
  toggleItem(item, ticked) {
    const basket = new Map(state.basket);
    if (ticked) {
      basket.set(item.key, item.total);
    } else {
      basket.delete(item.key);
    }
    saveBasket(basket);
  },
  emptyBasket() {
    saveBasket(new Map());
  },
};

window.addEventListener("storage", ({ key }) => {
  if (key === MEALS || key === null) {
    set({ meals: storedMeals(), undoable: [] });
  }
  if (key === BASKET || key === null) {
    set({ basket: storedBasket() });
  }
});
