      let reset = sigmoid(gate0 + given0);
      let kept = sigmoid(gate1 + given1);
      let fresh = bounded_tanh(given2 + reset * gate2);
      let new_hidden = fresh + kept * (hidden[now + u] - fresh);
