"""@title@, written once: gnomon generates fixed-point C from `select` and `update`."""

import numpy as np


class GradientGreedy:
    """Learner with a linear prediction of the reward of each arm, trained by gradient steps."""

    keeps = ("weights", "rounds")  # attributes that learning changes

    def __init__(self, *, arms, dimensions, explore_every=8, step=0.125):
        """Start with weights of zero."""
        self.arms, self.dimensions = arms, dimensions
        self.explore_every, self.step = explore_every, step
        self.weights = np.zeros((arms, dimensions))
        self.rounds = 0

    def select(self, x):
        """Return the arm for a context."""
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            scores[arm] = self.weights[arm] @ x
        if self.rounds % self.explore_every == 0:
            return self.rounds // self.explore_every % self.arms
        return np.argmax(scores)

    def update(self, x, arm, reward):
        """Learn the reward of an arm."""
        surprise = reward - self.weights[arm] @ x
        self.weights[arm] += (self.step * surprise) * x
        self.rounds += 1
