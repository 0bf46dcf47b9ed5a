// Fees and kit prices are in euros. A course without a kit has null.
const courses = [
  {
    title: "Pottery for beginners",
    fee: 120,
    kit: 18.5,
    sessions: ["Monday 18:30", "Thursday 19:00"],
  },
  {
    title: "Italian conversation",
    fee: 94.95,
    kit: 12,
    sessions: ["Tuesday 18:00", "Wednesday 20:00", "Saturday 17:00"],
  },
  {
    title: "Bicycle repair",
    fee: 64.5,
    kit: null,
    sessions: ["Friday 17:30"],
  },
];
